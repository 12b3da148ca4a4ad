"""The facts about one agent as a story: a line per cause, what follows from it at once beside it, the rest folded. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from pydantic_core import from_json

from cardtrail.events import (
    AgentEvent,
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeDecided,
    DeadlinePassed,
    Event,
    ProbeStarted,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.fact import encode, instant
from cardtrail.events.model.finding import Diagnostic
from cardtrail.projections.capabilities import capabilities
from cardtrail.projections.freshness import unchanged
from cardtrail.services.cli.live import words
from cardtrail.services.cli.outputs.history import HistoryEntry, HistoryFact

_OF_THE_WAY = ("CT1", "CT2")


@dataclass
class Entry:
    """A line that grows: its first fact, what it says, and the facts that follow from it."""

    first: Stored
    what: str
    parts: list[str]
    facts: list[Stored]

    @property
    def text(self) -> str:
        """What it says, all of it."""
        return "; ".join(part for part in self.parts if part)

    def shown(self) -> HistoryEntry:
        """In the published shape."""
        event = self.first.fact.data
        return HistoryEntry(
            at=instant(self.first.fact.time),
            principal=event.principal if isinstance(event, AgentEvent) else "",
            what=self.what,
            text=self.text,
            facts=tuple(told_fact(stored) for stored in self.facts),
        )


@dataclass
class _Seen:
    """What was known of the agent as one principal sees it."""

    full: int = 0
    digests: list[str] = field(default_factory=lambda: ["", ""])
    trouble: tuple[str, str] | None = None
    values: dict[str, str] = field(default_factory=dict)
    version: str = ""
    noticed: frozenset[str] = frozenset()


class Story:
    """Fed with facts in stream order; `folded` counts those that changed nothing, which `everything` keeps as lines."""

    def __init__(self, *, everything: bool = False) -> None:
        """Nothing is known yet."""
        self.entries: list[Entry] = []
        self.folded = self.facts = 0
        self._everything = everything
        self._seen: dict[str, _Seen] = {}
        self._by_id: dict[UUID, Entry] = {}

    def tell(self, stored: Stored) -> None:
        """One more fact."""
        self.facts += 1
        event = stored.fact.data
        seen = self._seen.setdefault(event.principal if isinstance(event, AgentEvent) else "", _Seen())
        match event:
            case CardFetched():
                text, weighs = _answered(stored, event, seen)
                new = _noticed(event, seen)
                self._line(stored, "card", text, weighs=weighs or bool(new))
                if new:
                    self.entries[-1].parts.append(words.noticed(new))
            case CardRefused():
                again = seen.trouble == (event.stage, event.reason)
                seen.trouble = (event.stage, event.reason)
                self._line(stored, "refused", words.refused(event, kept=bool(seen.full)), weighs=not again)
            case ProfileCompiled():
                self._compiled(stored, event, seen)
            case ChangeDecided():
                brought = stored.fact.causation or next(iter(event.causes), None)
                self._follows(stored, "decision", words.decided(event), brought)
            case _:
                what, text = words.said(event)
                self._line(stored, what, text, weighs=_weighs(event))

    def told(self) -> Iterator[HistoryEntry]:
        """The lines so far."""
        return (entry.shown() for entry in self.entries)

    def _compiled(self, stored: Stored, event: ProfileCompiled, seen: _Seen) -> None:
        values = capabilities(event.profile, event.identity)
        changed = {name for name in values.keys() | seen.values.keys() if values.get(name) != seen.values.get(name)}
        text = words.compiled(event, seen.version, sorted(changed - {"version"}), first=not seen.values)
        seen.values, seen.version = values, event.identity.version
        if changed:
            self._follows(stored, "profile", text, event.card if event.cause == "card" else None)
        else:
            self._line(stored, "profile", "the same as before", weighs=False)

    def _follows(self, stored: Stored, what: str, text: str, brought: UUID | None) -> None:
        """Beside the line of what brought it, where that is shown; else a line of its own, at its own time."""
        entry = self._by_id.get(brought) if brought else None
        if entry is None:
            self._line(stored, what, text)
            return
        if what == "profile":
            entry.parts[0] = text
        else:
            entry.parts.append(f"{what} {text}")
        entry.facts.append(stored)
        self._by_id[stored.fact.id] = entry

    def _line(self, stored: Stored, what: str, text: str, *, weighs: bool = True) -> None:
        if not weighs and not self._everything:
            self.folded += 1
            return
        entry = Entry(stored, what, [text], [stored])
        self.entries.append(entry)
        self._by_id[stored.fact.id] = entry


def _weighs(event: Event) -> bool:
    """Whether it says something by itself: what is due, begun or counted shows by what comes of it."""
    is_due = isinstance(event, DeadlinePassed) and event.what in {"refresh", "probe"}
    return not is_due and not isinstance(event, ProbeStarted | CallsCounted)


def _answered(stored: Stored, event: CardFetched, seen: _Seen) -> tuple[str, bool]:
    same = unchanged(event, seen.full, seen.digests)
    back, seen.trouble = seen.trouble, None
    if event.same_as is None:
        seen.full, seen.digests = stored.sequence, [event.semantic_digest, event.signatures_digest]
    return words.answered(event, same=same, back=back is not None), not same or back is not None


def _noticed(event: CardFetched, seen: _Seen) -> tuple[Diagnostic, ...]:
    """What is new about the way a card was had and about its signatures; what is wrong in it `lint` and `show` say."""
    if event.same_as is not None:
        return ()
    found = {one.code: one for one in event.findings if one.code[:3] in _OF_THE_WAY and one.level != "info"}
    before, seen.noticed = seen.noticed, frozenset(found)
    return tuple(one for code, one in found.items() if code not in before)


def told_fact(stored: Stored) -> HistoryFact:
    """In the published shape."""
    raw = stored.raw or encode(stored.fact)
    return HistoryFact(sequence=stored.sequence, stored_at=instant(stored.stored_at), fact=from_json(raw))
