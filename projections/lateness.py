"""Which facts come too late to change what is known now: repeats of an id, and observations older than one already applied.

The broker drops a repeated id only within its window, and facts that waited in an outbox arrive behind newer ones. A late
fact stays in the history and changes nothing else. Nothing was observed after the log had it: an observer whose clock ran
ahead for a while does not make late what it sees afterwards. Folds that share rows may all ask: the answer is the same. A
public card seen on the way to a principal's extended card (`aside`) is treated alike: whatever rests on an observation rests
on the other.
"""

from typing import Any

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import Stored
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.projections.projection import Key, Rows, Table

NEWEST = Table("newest", key=("agent", "principal", "kind", "about"), shown=False)
_OBSERVED = frozenset(("card-fetched", "card-refused", "probe-recorded", "runtime-error-observed", "calls-counted"))
_OF_THE_AGENT = frozenset(("card-fetched", "card-refused", "profile-compiled"))
_ABOUT = ("registry", "workflow", "operation", "skill", "claim")
_KEPT_IDS = 8
_UUIDV7 = 7


def late(stored: Stored, rows: Rows) -> bool:
    """Whether a newer fact of the same agent, principal and kind was applied before; otherwise this is the newest now."""
    if rows.weighed is None or rows.weighed[0] != stored.sequence:
        rows.weighed = (stored.sequence, _late(stored, rows))
    return rows.weighed[1]


def repeated(stored: Stored, rows: Rows) -> bool:
    """Whether a late fact is the newest of its kind once more; another one tells at least that something was done."""
    held = rows.get(NEWEST.name, _key(stored))
    return held is not None and held["sequence"] != stored.sequence and stored.fact.id.hex in held["ids"]


def _late(stored: Stored, rows: Rows) -> bool:
    if stored.fact.data.__dict__.get("aside"):
        return True
    key = _key(stored)
    held = rows.get(NEWEST.name, key)
    order, name = _order(stored, stored.fact.data.kind), stored.fact.id.hex
    ids = [name]
    if held is not None:
        if held["sequence"] == stored.sequence:
            return False
        if order < held["order"] or name in held["ids"]:
            return True
        if order == held["order"]:
            ids = [*held["ids"][1 - _KEPT_IDS :], name]
    rows.put(NEWEST.name, key, {"order": order, "sequence": stored.sequence, "ids": ids})
    return False


def _key(stored: Stored) -> Key:
    event = stored.fact.data
    members = event.__dict__
    about = "" if event.kind in _OF_THE_AGENT else _about(members)
    return members.get("agent", ""), members.get("principal", ""), event.kind, about


def _order(stored: Stored, kind: str) -> int:
    """What grows from fact to fact of one kind: the observer's millisecond, or how far a derived fact had read."""
    event = stored.fact.data
    if kind in _OBSERVED:
        number = stored.fact.id.int
        told = number >> 80 if number >> 76 & 15 == _UUIDV7 else 0
        return min(told, int(stored.stored_at.timestamp() * 1000))
    if isinstance(event, ProfileCompiled):
        return event.card_sequence
    return event.considered_through if isinstance(event, ChangeDecided) else 0


def _about(members: dict[str, Any]) -> str:
    """What facts of one kind may speak of side by side: a workflow, an operation of a skill, a claim."""
    named = [members[part] for part in _ABOUT if members.get(part)]
    return " ".join(map(str, named)) if named else ""
