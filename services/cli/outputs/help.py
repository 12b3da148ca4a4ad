"""`cardtrail help --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class HelpOutput(Value):
    """`cardtrail help TOPIC --json`."""

    format: Literal["cardtrail.help/1"]
    topic: str
    text: str
    exit_codes: dict[int, str] | None


OUTPUTS: tuple[type[Value], ...] = (HelpOutput,)
