"""One fact, applied whole or not at all; what cannot be applied is parked with all that follows it in its lane.

A lane is one agent as one principal sees it, or one kind of the ledger: facts of a lane are applied in stream order, so a
poison fact holds back its own lane and no other. Parked rows move in the commit that moves the position; the facts
themselves stay in the log. `retry` applies them in order once this release can.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from pydantic_core import from_json

from cardtrail.events import Fact, Stored
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import PUBLIC
from cardtrail.events.subjects import token
from cardtrail.events.upcast import decode
from cardtrail.projections.projection import Fold, Key, Rows
from cardtrail.services.bus.publish import Message

PARKED = "parked"
Step = Callable[[Stored, Rows], tuple[Fact, ...]]
Lane = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Poison:
    """Why a fact could not be applied."""

    reason: str
    detail: str


class Folded:
    """A fold as a step: it tells no facts, and hears of lanes that are held back where it wants to."""

    def __init__(self, fold: Fold) -> None:
        """What is parked reaches `fold.held`, where the fold has that."""
        self._apply, self.held = fold.apply, getattr(fold, "held", None)

    def __call__(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
        """Apply the fact."""
        self._apply(stored, rows)
        return ()


class Attempts:
    """Applies facts to one store's rows, and remembers which lanes are held back."""

    def __init__(
        self, step: Step, rows: Rows, message: Callable[[Fact], Message], principal: str | None = None
    ) -> None:
        """`message` raises for a derived fact that could never be told; with `principal`, others' facts are passed over."""
        self._step, self._rows, self._message = step, rows, message
        self._principal = None if principal is None else token(principal)
        self._heard_of: Callable[[str, str, int, datetime | None, Rows], None] | None = getattr(step, "held", None)
        self._held: set[Lane] = {(key[0], key[1]) for key in rows.table(PARKED)}

    def apply(self, sequence: int, stored_at: datetime, subject: str, data: bytes) -> tuple[Message, ...]:
        """The facts that follow from one stored fact, as they are to be told; nothing when it had to be parked."""
        if self._held or self._principal is not None:
            place = lane(subject, data)
            if self._principal is not None and place[0] and place[1] != self._principal:
                return ()
            if place in self._held:
                self._park(place, sequence, _Poison("behind", "an earlier fact of this lane is parked"))
                return ()
        told = self._try(sequence, stored_at, data)
        if isinstance(told, _Poison):
            place = lane(subject, data)
            self._park(place, sequence, told)
            self._tell(place, sequence, stored_at)
            return ()
        return told

    def parked(self) -> list[tuple[Lane, int]]:
        """What is parked, by lane and sequence, in the order in which it must be tried again."""
        return sorted(((key[0], key[1]), int(key[2])) for key in self._rows.table(PARKED))

    def retry(
        self, place: Lane, facts: Iterable[tuple[int, datetime, bytes]], gone: Iterable[int] = ()
    ) -> tuple[Message, ...]:
        """Apply a lane's parked facts in order, up to the first that still cannot be; nothing waits for those that are `gone`."""
        for sequence in gone:
            self._rows.delete(PARKED, _key(place, sequence))
        told: list[Message] = []
        for sequence, stored_at, data in facts:
            following = self._try(sequence, stored_at, data)
            if isinstance(following, _Poison):
                self._park(place, sequence, following)
                self._tell(place, sequence, stored_at)
                return tuple(told)
            self._rows.delete(PARKED, _key(place, sequence))
            told += following
        self._held.discard(place)
        self._tell(place, 0, None)
        return tuple(told)

    def _try(self, sequence: int, stored_at: datetime, data: bytes) -> tuple[Message, ...] | _Poison:
        self._rows.mark()
        try:
            stored = Stored.trusted({"sequence": sequence, "stored_at": stored_at, "fact": decode(data), "raw": data})
            told = tuple(self._message(fact) for fact in self._step(stored, self._rows))
        except EventRefused as refusal:
            self._rows.undo()
            return _Poison(refusal.code, refusal.message)
        except Exception as error:  # noqa: BLE001 — whatever one fact does, the others go on
            self._rows.undo()
            return _Poison("failed", f"{type(error).__name__}: {error}")
        return told

    def _park(self, place: Lane, sequence: int, why: _Poison) -> None:
        row = {"sequence": sequence, "reason": why.reason, "detail": why.detail[:500]}
        self._rows.put(PARKED, _key(place, sequence), row)
        self._held.add(place)

    def _tell(self, place: Lane, sequence: int, since: datetime | None) -> None:
        if self._heard_of is not None and place[0]:
            self._heard_of(*place, sequence, since, self._rows)


def lane(subject: str, data: bytes) -> Lane:
    """The lane of a stored message as subject tokens, so that long ids fit too; ("", kind) for the ledger.

    A decision's subject does not name the principal: that is read from the envelope, `public` where it cannot be. A subject
    that no event has, told by another program, is a lane of its own: ("", subject).
    """
    match subject.split("."):
        case [_, "events", _, agent, principal, *_]:
            return agent, principal
        case [_, "decisions", _, agent]:
            return agent, _principal(data)
        case [_, "ledger", kind]:
            return "", kind
        case _:
            return "", subject


def _principal(data: bytes) -> str:
    try:
        return token(str(from_json(data).get("principal", PUBLIC)))
    except (ValueError, AttributeError):
        return PUBLIC


def _key(place: Lane, sequence: int) -> Key:
    return (*place, f"{sequence:020d}")
