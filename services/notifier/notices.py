"""What owners have not heard of yet: a fold over decisions, acceptances and what was sent. Pure; it sends nothing itself."""

from datetime import datetime, timedelta

from cardtrail.events import AgentEvent, ChangeAcknowledged, ChangeDecided, LockfileReleased, OwnerNotified, Stored
from cardtrail.projections.instants import end_of
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.kept import drop, keys, load, save
from cardtrail.services.notifier.due import left_to_tell
from cardtrail.services.notifier.memory import Pending, Since, Told

NAME = "notices"
_ONLY: Key = ("-",)
_NEWS = timedelta(hours=1)
"""A notifier that is new tells of what was decided so shortly before, and still stands."""


class Notices:
    """The fold; rows are keyed by workflow, agent and principal."""

    name = NAME

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Change what waits by one fact; a late one changes nothing."""
        event = stored.fact.data
        if not isinstance(event, AgentEvent) or late(stored, rows):
            return
        match event:
            case ChangeDecided():
                _decided(stored, event, rows)
            case ChangeAcknowledged():
                _acknowledged(event, rows)
            case OwnerNotified():
                _notified(event, rows)
            case LockfileReleased():
                for kind in (Told, Pending):
                    drop(rows, kind, (event.workflow, event.agent, event.principal))
            case _:
                pass


def begin(rows: Rows, now: datetime) -> None:
    """Remember the first start on this log."""
    if load(rows, Since, _ONLY) is None:
        save(rows, _ONLY, Since(at=now))


def waiting(rows: Rows) -> tuple[Pending, ...]:
    """Every decision that somebody is to be told of."""
    return tuple(one for key in keys(rows, Pending) if (one := load(rows, Pending, key)) is not None)


def told_of(rows: Rows, event: ChangeDecided) -> Told:
    """What the owner of a decision's pair knows."""
    return load(rows, Told, (event.workflow, event.agent, event.principal)) or Told()


def _decided(stored: Stored, event: ChangeDecided, rows: Rows) -> None:
    key = (event.workflow, event.agent, event.principal)
    told, standing = told_of(rows, event), _standing(event)
    since = load(rows, Since, _ONLY)
    is_past = since is not None and stored.stored_at < since.at - _NEWS
    known = standing if is_past else tuple(one for one in told.fingerprints if one in standing)
    silenced = {name: until for name, until in told.silenced.items() if name in standing}
    told = told.model_copy(update={"fingerprints": known, "silenced": silenced})
    save(rows, key, told)
    _wait(rows, key, Pending(decision=stored.fact.id, event=event, at=stored.stored_at), told)


def _acknowledged(event: ChangeAcknowledged, rows: Rows) -> None:
    key = (event.workflow, event.agent, event.principal)
    told = load(rows, Told, key)
    if told is None:
        return
    told = told.model_copy(update={"silenced": {**told.silenced, event.fingerprint: end_of(event.until)}})
    save(rows, key, told)
    _again(rows, key, told)


def _notified(event: OwnerNotified, rows: Rows) -> None:
    key = (event.workflow, event.agent, event.principal)
    told, held = load(rows, Told, key) or Told(), load(rows, Pending, key)
    if not event.problem:
        known = tuple(dict.fromkeys((*told.fingerprints, *event.fingerprints)))
        told = told.model_copy(update={"fingerprints": known, "announced": bool(event.fingerprints)})
        save(rows, key, told)
    if held is not None and held.decision == event.decision:
        drop(rows, Pending, key)
    else:
        _again(rows, key, told)


def _again(rows: Rows, key: Key, told: Told) -> None:
    held = load(rows, Pending, key)
    if held is not None:
        _wait(rows, key, held, told)


def _wait(rows: Rows, key: Key, decided: Pending, told: Told) -> None:
    left = left_to_tell(decided, told)
    if left is None:
        drop(rows, Pending, key)
    else:
        save(rows, key, left)


def _standing(event: ChangeDecided) -> tuple[str, ...]:
    return tuple(finding.fingerprint for finding in event.findings if finding.severity != "note")
