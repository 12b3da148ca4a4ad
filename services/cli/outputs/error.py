"""What stands instead of a result; `cardtrail rules --errors` lists the codes."""

from cardtrail.events.model.value import Value


class ErrorBody(Value):
    """What went wrong: `code` is kebab-case and never reused; scripts go by it; `a2aCode` is an A2A error's own name."""

    code: str
    message: str
    hint: str | None = None
    a2aCode: str | None = None  # noqa: N815 — the spelling of the A2A command line's error envelope
    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None
    exit: int


class ErrorOutput(Value):
    """Stands instead of a result."""

    error: ErrorBody


OUTPUTS: tuple[type[Value], ...] = (ErrorOutput,)
