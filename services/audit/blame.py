"""Each value a capability of an agent ever had: what brought it, in which window, and what it brought in turn."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from pydantic_core import from_json

from cardtrail.events import AgentEvent, ChangeDecided, LockfilePinned, ProfileCompiled, Stored
from cardtrail.events.change_decided import Action
from cardtrail.events.fact import instant
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.value import Value
from cardtrail.projections.capability_spans import CLOSED_SPANS, OPEN_SPANS, CapabilitySpans
from cardtrail.projections.projection import Row, Rows
from cardtrail.projections.sightings import SIGHTINGS
from cardtrail.services.audit.about import names, subjects

State = Literal["held", "absent", "unknown"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Brought(Value):
    """What followed: a decision about a workflow's lock (`verdict` to `by_this`), or a lock pinned while the value held.

    `by_this`: what the verdict rests on names the capability; false: the verdict came with it, in the same card.
    """

    what: Literal["decision", "pin"]
    sequence: int
    id: UUID
    workflow: str
    verdict: Verdict | None = None
    previous: Verdict | None = None
    action: Action | None = None
    rules: tuple[str, ...] = ()
    by_this: bool | None = None


class Held(Value):
    """One value and how it came. `state`: `held`, `absent` (the capability was removed), `unknown` (nothing could be read).

    The change happened after `after` (the last full answer with the value before; null: nothing is known before) and not later
    than `first_seen`. `last_confirmed` is the last full answer with the value, `last_asserted` the last 304; `ended_by` null: it
    still holds. `cause` says whose doing it was: the card's, our compiler's, our client's. `sequence`, `fact`: what brought it.
    """

    capability: str
    state: State
    value: Any
    after: str | None
    first_seen: str
    last_confirmed: str | None
    last_asserted: str | None
    ended_by: str | None
    cause: str
    fact: UUID
    sequence: int
    kind: str
    version: str
    card_digest: str
    brought: tuple[Brought, ...] = ()


class Blame:
    """Fed with the facts about one agent in stream order; what another principal saw is passed over."""

    def __init__(self, agent: str, principal: str) -> None:
        """`agent` as it is tracked; facts under other names of it (its locks) are its too."""
        self._key = (principal, agent)
        self._spans, self._rows = CapabilitySpans(), Rows()
        self._kinds: dict[UUID, str] = {}
        self._profiles: dict[UUID, ProfileCompiled] = {}
        self._profile_of: dict[UUID, ProfileCompiled] = {}
        self._decisions: dict[UUID, list[tuple[Brought, frozenset[str]]]] = defaultdict(list)
        self._last: dict[tuple[str, str], tuple[Finding, ...]] = {}
        self._pins: list[Brought] = []

    def tell(self, stored: Stored) -> None:
        """One more fact."""
        event = stored.fact.data
        if not isinstance(event, AgentEvent) or event.principal != self._key[0]:
            return
        if event.agent == self._key[1]:
            self._rows.mark()
            self._spans.apply(stored, self._rows)
            self._kinds[stored.fact.id] = event.kind
        match event:
            case ProfileCompiled():
                self._profiles[stored.fact.id] = event
                self._profile_of.setdefault(_opener(stored.fact.id, event), event)
            case ChangeDecided():
                self._decided(stored, event)
            case LockfilePinned():
                self._pins.append(
                    Brought(what="pin", sequence=stored.sequence, id=stored.fact.id, workflow=event.workflow)
                )
            case _:
                pass

    def capabilities(self) -> tuple[str, ...]:
        """Every capability the agent ever had."""
        return tuple(sorted({row["capability"] for row in self._closed()} | self._open()["values"].keys()))

    def of(self, capability: str) -> tuple[Held, ...]:
        """The values of one capability, oldest first; gaps in which it was absent or nothing could be read stand between."""
        still = self._still(capability)
        rows = [row for row in self._closed() if row["capability"] == capability] + ([still] if still else [])
        found: list[Held] = []
        for row, following in zip(rows, [*rows[1:], None], strict=False):
            found.append(self._held(row, "held", from_json(row["value"])))
            state = _GAPS.get(row["ending"])
            if state is not None:
                gap = _gap(row) | {"ended_by": following and following["first_seen"]}
                found.append(self._held(gap, state))
        return tuple(found)

    def _decided(self, stored: Stored, event: ChangeDecided) -> None:
        """A decision follows from what its profile opened; one after a profile that was only told again, from nothing."""
        pair = (event.workflow, event.agent)
        rests_on = subjects(event, self._last.get(pair, ()))
        self._last[pair] = event.findings
        cause = stored.fact.causation
        profile = self._profiles.get(cause) if cause else None
        if cause is None or profile is None or profile.cause == "pin":
            return
        made = Brought(
            what="decision",
            sequence=stored.sequence,
            id=stored.fact.id,
            workflow=event.workflow,
            verdict=event.verdict,
            previous=event.previous,
            action=event.action,
            rules=tuple(one.rule for one in event.findings if one.severity != "note"),
        )
        self._decisions[_opener(cause, profile)].append((made, rests_on))

    def _closed(self) -> list[Row]:
        return self._rows.gathered(CLOSED_SPANS)

    def _open(self) -> Row:
        row = self._rows.get(OPEN_SPANS.name, self._key)
        return row if row is not None and row["state"] == "open" else {"values": {}}

    def _still(self, capability: str) -> Row | None:
        """The value that holds now, in the words of a closed span."""
        row = self._open()
        held = row["values"].get(capability)
        if held is None:
            return None
        opening, seen = row["openings"][held[1]], self._rows.get(SIGHTINGS.name, self._key) or {}
        told = {
            "capability": capability,
            "value": held[0],
            "opened_from": opening["from"],
            "first_seen": opening["at"],
            "ended_by": None,
            "ending": None,
        }
        told |= {f"opened_{part}": opening[part] for part in ("fact", "sequence", "cause")}
        return told | {
            f"last_{how}": seen[how] if (seen[how] or 0) >= opening["at"] else None for how in ("confirmed", "asserted")
        }

    def _held(self, row: Row, state: State, value: Any = None) -> Held:  # noqa: ANN401 — any JSON value
        fact = UUID(row["opened_fact"])
        profile = self._profile_of.get(fact)
        return Held(
            capability=row["capability"],
            state=state,
            value=value,
            after=_told(row["opened_from"]),
            first_seen=_told(row["first_seen"]) or "",
            last_confirmed=_told(row["last_confirmed"]),
            last_asserted=_told(row["last_asserted"]),
            ended_by=_told(row["ended_by"]),
            cause=row["opened_cause"],
            fact=fact,
            sequence=row["opened_sequence"],
            kind=self._kinds.get(fact, ""),
            version=profile.identity.version if profile else "",
            card_digest=profile.card_digest if profile else "",
            brought=tuple(self._followed(fact, row, state)),
        )

    def _followed(self, fact: UUID, row: Row, state: str) -> Iterator[Brought]:
        for made, rests_on in self._decisions.get(fact, ()):
            by_this = any(names(subject, row["capability"]) for subject in rests_on)
            yield made.model_copy(update={"by_this": by_this})
        if state == "held":
            end = row.get("closed_sequence") or float("inf")
            yield from (pin for pin in self._pins if row["opened_sequence"] < pin.sequence < end)


_GAPS: dict[str | None, State] = {"removed": "absent", "unreadable": "unknown", "untracked": "unknown"}


def _opener(name: UUID, event: ProfileCompiled) -> UUID:
    """The fact that opens what this profile brings: its card, or itself where our own side has changed."""
    return event.card if event.cause in {"card", "pin"} else name


def _gap(row: Row) -> Row:
    """What follows on a value's end, in the words of a span."""
    told = {f"opened_{part}": row[f"closed_{part}"] for part in ("fact", "sequence", "cause")}
    return told | {
        "capability": row["capability"],
        "opened_from": row["last_confirmed"] or row["first_seen"],  # held again by a 304 alone, it was seen then
        "first_seen": row["ended_by"],
        "last_confirmed": None,
        "last_asserted": None,
        "ended_by": None,
    }


def _told(at: int | None) -> str | None:
    return None if at is None else instant(_EPOCH + timedelta(microseconds=at))
