"""When each agent is looked at next, and each registry: a fold over the log, so that no fetcher keeps a clock of its own. Pure.

`due` (agent, principal): `due`, `host`, `interval_s`, `look` (answers so far), `failures` (refusals since the last answer),
`mark` (what the next look is for: `pace.FORCED` or `pace.ANEW`), `terms` (by what its card is judged); a registry's row
(`pace.scan_row`) stands beside them. `pace` (host): `last`, up to which its first looks are spread. A new agent, a new lock on
it, and a call or probe that contradicts its card make it due at once. Beside them stand `Memory`, what the looks so far have left
for the next one, and the counts of `rejections`.
"""

from datetime import datetime
from urllib.parse import urlsplit

from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked, Target
from cardtrail.events.canonical import digest
from cardtrail.events.card_fetched import CardFetched, Freshness
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import AgentEvent, Event, Stored, instant
from cardtrail.events.lockfile_pinned import LockfilePinned
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.registry_scanned import RegistryScanned
from cardtrail.events.runtime_error_observed import RuntimeErrorObserved
from cardtrail.projections.lateness import late, repeated
from cardtrail.projections.projection import Row, Rows
from cardtrail.services import places
from cardtrail.services.fetcher.memory import Memory, memory_key
from cardtrail.services.fetcher.pace import ANEW, FORCED, scan_key, scan_row
from cardtrail.services.fetcher.rejections import counted
from cardtrail.services.fetcher.schedule import next_look, next_try, paced
from cardtrail.services.kept import drop, load, save

DUE, PACE = "due", "pace"
NOWHERE = "-"


class Dispatch:
    """The fold; `backoff_cap_s` seconds at most between two attempts at a failing agent."""

    name = "dispatch"

    def __init__(self, backoff_cap_s: int) -> None:
        """Nothing else is set: interval and host come with each agent."""
        self._cap_s = backoff_cap_s

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Set the next instant by one fact; a late observation tells nothing but that its look has spent the one before."""
        event, now = stored.fact.data, stored.stored_at
        if isinstance(event, CardFetched) and event.aside:
            self._passed_by(stored, event, rows)
        elif late(stored, rows):
            self._spent(stored, rows)
        else:
            match event:
                case AgentTracked():
                    places.learn(rows, event)
                    _track(event, rows, now)
                case AgentUntracked():
                    _forget(event, rows, now)
                case CardFetched():
                    places.learn(rows, event)
                    _remember(stored, event, rows)
                    self._answered(event, rows, now)
                case CardRefused():
                    counted(event, now, rows)
                    self._refused(event, rows, now)
                case RegistryScanned():
                    self._scanned(event, rows, now)
                case _:
                    _called_for(event, rows, now)

    def _answered(self, event: CardFetched, rows: Rows, now: datetime) -> None:
        row = _row(rows, event)
        if row is not None:
            look = row["look"] + 1
            due = next_look(now, row["interval_s"], _freshness(rows, event), event.agent, look)
            _put(rows, event, row | {"look": look, "failures": 0}, due)

    def _spent(self, stored: Stored, rows: Rows) -> None:
        """Whoever told it has a clock that is behind, or had no broker: a look was made all the same, and the next must come."""
        event, now = stored.fact.data, stored.stored_at
        if not isinstance(event, CardFetched | CardRefused) or repeated(stored, rows):
            return
        row = _row(rows, event)
        if row is not None:
            interval = row["interval_s"]
            due = next_look(now, interval, Freshness(), event.agent, row["look"])
            if "mark" in row:
                due = next_try(now, 1, event.agent, cap_s=self._cap_s, interval_s=interval)
            rows.put(DUE, (event.agent, event.principal), {**row, "due": instant(due)})

    def _passed_by(self, stored: Stored, event: CardFetched, rows: Rows) -> None:
        """Most often the extended card's own fact follows and says more; while that card is fresh, none does."""
        row = _row(rows, event)
        if row is not None:
            _remember(stored, event, rows)
            due = next_look(stored.stored_at, row["interval_s"], _freshness(rows, event), event.agent, row["look"])
            _put(rows, event, row, due)

    def _refused(self, event: CardRefused, rows: Rows, now: datetime) -> None:
        row = _row(rows, event)
        if row is not None:
            failures, interval = row["failures"] + 1, row["interval_s"]
            asked = event.retry_after_s
            due = next_try(now, failures, event.agent, cap_s=self._cap_s, interval_s=interval, retry_after_s=asked)
            _put(rows, event, row | {"failures": failures}, due)

    def _scanned(self, event: RegistryScanned, rows: Rows, now: datetime) -> None:
        """A whole walk comes again after its interval, a broken one sooner, and later each time."""
        held = rows.get(DUE, scan_key(event.registry)) or {"failures": 0}
        failures = 0 if event.complete else held["failures"] + 1
        due = next_look(now, event.interval_s, Freshness(), event.registry, 0)
        if failures:
            due = next_try(now, failures, event.registry, cap_s=self._cap_s, interval_s=event.interval_s)
        rows.put(DUE, scan_key(event.registry), scan_row(event.registry, due, event.settings_digest, failures))


def host_of(target: Target) -> str:
    """The host that a look would bother, `-` for files and documents."""
    if target.kind in {"file", "document", "registry"}:
        return NOWHERE
    value = target.value if "://" in target.value else f"https://{target.value}"
    try:
        return urlsplit(value).hostname or NOWHERE
    except ValueError:
        return NOWHERE


def _track(event: AgentTracked, rows: Rows, now: datetime) -> None:
    held = _row(rows, event)
    if held is not None and held["host"] != host_of(event.target):
        _leave(rows, held["host"], now)
    told = {"host": host_of(event.target), "interval_s": event.interval_s, "terms": _terms(event)}
    row = {"look": 0, "failures": 0, **(held or {}), **told}
    # A 304 would have the card judged by the terms of before.
    marked = {"mark": FORCED} if held is not None and held.get("terms") != row["terms"] else {}
    rows.put(DUE, (event.agent, event.principal), {**row, "due": instant(_free(rows, row["host"], now)), **marked})


def _terms(event: AgentTracked) -> str:
    """What a card is looked for and judged by, as far as the fact about its tracking says."""
    named = event.model_dump(mode="json", include={"target", "endpoints", "credential", "legacy_path"})
    return digest([named, event.registry_metadata.get("digest", "")])[7:23]


def _forget(event: AgentUntracked, rows: Rows, now: datetime) -> None:
    places.forget(rows, event)
    held = _row(rows, event)
    if held is not None:
        _leave(rows, held["host"], now)
    rows.delete(DUE, (event.agent, event.principal))
    for extended in (False, True):
        drop(rows, Memory, memory_key(event.agent, event.principal, extended=extended))


def _called_for(event: Event, rows: Rows, now: datetime) -> None:
    """What makes an agent due before its time: a lock waits for an observation, a contradicted card must be had in whole."""
    match event:
        case LockfilePinned():
            for name in (event.agent, *(candidate.agent for candidate in event.lockfile.fallback)):
                _at_once(rows, places.resolve(rows, name, event.principal), event.principal, now, ANEW)
        case RuntimeErrorObserved() if event.contradicts is not None:
            _at_once(rows, event.agent, event.principal, now, FORCED)
        case ProbeRecorded(outcome="contradicted"):
            _at_once(rows, event.agent, event.principal, now, FORCED)
        case _:
            pass


def _remember(stored: Stored, event: CardFetched, rows: Rows) -> None:
    """An observation that stands ends the time of an extended card before it."""
    if _row(rows, event) is None:
        return
    if not event.extended and not event.aside:
        drop(rows, Memory, memory_key(event.agent, event.principal, extended=True))
    key = memory_key(event.agent, event.principal, extended=event.extended)
    memory = load(rows, Memory, key) or Memory()
    save(rows, key, memory.after(event, stored.sequence, stored.fact.time))


def _freshness(rows: Rows, event: CardFetched) -> Freshness:
    """How long the server vouches for what it has just said: a short observation leaves out what it said before."""
    memory = load(rows, Memory, memory_key(event.agent, event.principal, extended=event.extended))
    return event.freshness if memory is None else memory.freshness


def _row(rows: Rows, event: AgentEvent) -> Row | None:
    return rows.get(DUE, (event.agent, event.principal))


def _put(rows: Rows, event: AgentEvent, row: Row, due: datetime) -> None:
    kept = {name: value for name, value in row.items() if name != "mark"}
    rows.put(DUE, (event.agent, event.principal), {**kept, "due": instant(due)})


def _free(rows: Rows, host: str, now: datetime) -> datetime:
    """The first instant at which one more first look may bother this host: many agents of one host come one by one."""
    if host == NOWHERE:
        return now
    held = rows.get(PACE, (host,))
    free = paced(now, datetime.fromisoformat(held["last"]) if held else None)
    rows.put(PACE, (host,), {"last": instant(free)})
    return free


def _leave(rows: Rows, host: str, now: datetime) -> None:
    """One agent fewer at this host: how far its first looks are spread says nothing any more once that is past."""
    held = rows.get(PACE, (host,))
    if held is not None and datetime.fromisoformat(held["last"]) <= now:
        rows.delete(PACE, (host,))


def _at_once(rows: Rows, agent: str, principal: str, now: datetime, mark: str) -> None:
    row = rows.get(DUE, (agent, principal))
    if row is not None and datetime.fromisoformat(row["due"]) > now:
        due = _free(rows, row["host"], now)
        rows.put(DUE, (agent, principal), {**row, "due": instant(due), "mark": mark})
