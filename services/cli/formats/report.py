"""What every format is given: findings with their place, by card, and what the rules say about themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.cli.shell.inputs import is_url

Level = Literal["error", "warning", "note"]
Tool = Literal["check", "diff", "lint"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
MARKS: dict[str, Literal["ok", "error", "warning", "note", "unknown"]] = {
    "compatible": "ok",
    "breaking": "error",
    "review": "warning",
    "note": "note",
    "unknown": "unknown",
    "error": "error",
    "warning": "warning",
    "info": "note",
}
"""The word of a verdict or severity → its mark."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file; lines and columns count from 1 in code points, 0 = unknown; the end is exclusive."""

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        """`file:line:column` as far as known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


@dataclass(frozen=True, slots=True)
class Remark:
    """One finding or diagnostic. `severity` is its word, `level` the same on the scale that CI tools share."""

    rule: str
    level: Level
    severity: str
    subject: str
    message: str
    place: Place
    path: str = ""
    needs: Any = None
    before: Any = None
    after: Any = None
    hint: str = ""
    fingerprint: str = ""
    related: Place | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One card: which workflow and agent it is about, the verdict or shape, the rules applied; `output` is its JSON object.

    `verdict` is "unknown" where nothing could be judged.
    `card` is the card as it was named, `source` its text where excerpts are shown; `failure` says why it could not be read;
    `doubts` are what is odd in the lock; `beside` is told and judges nothing.
    """

    card: str
    verdict: str
    output: dict[str, Any]
    remarks: tuple[Remark, ...] = ()
    applied: tuple[str, ...] = ()
    workflow: str = ""
    agent: str = ""
    version: str = ""
    digest: str = ""
    file: str = ""
    source: str = ""
    silent: tuple[str, ...] = ()
    doubts: tuple[Diagnostic, ...] = ()
    failure: CardtrailError | None = None
    beside: tuple[Remark, ...] = ()

    def count(self, level: Level) -> int:
        """How many remarks of a level."""
        return sum(remark.level == level for remark in self.remarks)

    @property
    def judged(self) -> bool:
        """Whether there was a card to look at."""
        return self.verdict != "unknown"

    @property
    def failed_at(self) -> Place:
        """Where the failure is shown: its own file, or the section's where that is no file of a repository."""
        error, file = self.failure, self.file or self.card
        if error is None or (error.file != file and (error.file in {"", "stdin"} or is_url(error.file))):
            return Place(file)
        return Place(error.file, error.line, error.column)


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """What a rule says about itself: one sentence, paragraphs, its default level and the words it can be found by."""

    id: str
    level: Level
    severity: str
    title: str
    explanation: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """One run of one tool. `gate` is the mildest level that fails; `shown` the mildest that text lists; `repeat` the command.

    `release` is the version of the product that judged; `failed` says that nothing could be judged at all.
    """

    tool: Tool
    sections: tuple[Section, ...]
    rules: Mapping[str, RuleDoc] = field(default_factory=dict)
    gate: Level = "error"
    shown: Level = "warning"
    repeat: str = ""
    release: str = ""
    failed: bool = False

    def failures(self) -> Iterator[tuple[Section, CardtrailError]]:
        """What could not be judged, and why."""
        yield from ((section, section.failure) for section in self.sections if section.failure is not None)

    def remarks(self) -> Iterator[tuple[Section, Remark]]:
        """All remarks, worst first; within a level as the cards were given and the rules ordered."""
        for level in LEVELS:
            for section in self.sections:
                told = (*section.remarks, *section.beside)
                yield from ((section, remark) for remark in told if remark.level == level)

    def fails(self, remark: Remark) -> bool:
        """Is it at or above the gate?"""
        return LEVELS.index(remark.level) <= LEVELS.index(self.gate)

    def shows(self, remark: Remark) -> bool:
        """Does text list it?"""
        return LEVELS.index(remark.level) <= LEVELS.index(self.shown)

    def exit_code(self, *, gated: bool) -> int:
        """That of the worst failure where a card could not be had or read, 1 where something fails the gate, else 0."""
        failures = [error.exit_code for _, error in self.failures()]
        return max(failures) if failures else int(gated and any(self.fails(remark) for _, remark in self.remarks()))
