"""What is noticed while a card is read: cheap notices now, sentences only when somebody asks."""

from collections.abc import Callable
from typing import Any, NamedTuple

from cardtrail.events.model.card import Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.card_fields import FIELDS
from cardtrail.services.card.catalogue import DIAGNOSTICS, diagnostic
from cardtrail.services.card.document import Document

_MOST_SHOWN = 100
_WORST_FIRST = {"error": 0, "warning": 1, "info": 2}
_REQUIRED = {
    message: tuple(field.json_name for field in fields if field.required) for message, fields in FIELDS.items()
}
_REQUIRED_02 = {
    "AgentCard": (
        "name",
        "description",
        "version",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    ),
    "AgentSkill": ("id", "name", "description", "tags"),
    "AgentProvider": ("organization", "url"),
}
_REQUIRED_01 = {
    "AgentCard": ("name", "version", "capabilities", "skills"),
    "AgentSkill": ("id", "name"),
    "AgentProvider": ("organization",),
}
REQUIRED: dict[Shape, dict[str, tuple[str, ...]]] = {
    "0.1": _REQUIRED | _REQUIRED_01,
    "0.2": _REQUIRED | _REQUIRED_02,
    "0.3": _REQUIRED | _REQUIRED_02 | {"AgentCard": ("protocolVersion", *_REQUIRED_02["AgentCard"])},
}
"""Required members by message where a generation differs from 1.0 (`spec`: the released schemas of 0.1.0 to 0.3.0)."""


class Notice(NamedTuple):
    """A rule's number, where, and the facts for its sentence."""

    code: str
    path: str
    facts: dict[str, Any]


class Notes:
    """The notices of one reading, the paths of unknown members, and whether a name stood in another spelling."""

    def __init__(self, shape: Shape = "1.0", *, legacy_body: bool = False) -> None:
        """Begin; `legacy_body` says that the endpoint comes from 0.x members."""
        self.shape, self.legacy_body = shape, legacy_body
        self.required = REQUIRED.get(shape, _REQUIRED)
        self.found: list[Notice] = []
        self._counts: dict[str, int] = {}
        self.unknown: list[str] = []
        self.misspelled = False

    def note(self, code: str, path: str, **facts: Any) -> None:
        """Remember one finding; of each kind no more are kept than could be shown, the rest is counted."""
        count = self._counts[code] = self._counts.get(code, 0) + 1
        if count <= _MOST_SHOWN:
            self.found.append(Notice(code, path, facts))

    def continue_from(self, earlier: "Notes", place: Callable[[str], str]) -> None:
        """Put the findings of an earlier look at the same card before these, whose paths `place` translates."""
        self.found = [*earlier.found, *(notice._replace(path=place(notice.path)) for notice in self.found)]
        for code, count in earlier._counts.items():  # noqa: SLF001 — the same class
            self._counts[code] = self._counts.get(code, 0) + count

    def diagnostics(self, document: Document) -> tuple[Diagnostic, ...]:
        """All findings in words, worst first, with line and column; at most 100 and one that counts the rest."""
        ordered = sorted(self.found, key=lambda notice: _WORST_FIRST[DIAGNOSTICS[notice.code].level])
        told = [diagnostic(code, path, document.place(path), **facts) for code, path, facts in ordered[:_MOST_SHOWN]]
        more = sum(self._counts.values()) - len(told)
        if more > 0:
            told.append(diagnostic("CT099", "$", (1, 1), count=more))
        return (*document.notes, *told)
