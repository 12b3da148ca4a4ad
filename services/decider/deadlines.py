"""The instants this fold waits for, as rows: each becomes a DeadlinePassed fact when it comes.

Only wishes stand here. The app sets and cancels the schedules from them; doing so twice is doing it once.
"""

from datetime import datetime, timedelta
from typing import cast

from cardtrail.events.deadline_passed import Deadline, DeadlinePassed
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Changes, Key, Rows
from cardtrail.services.decider import trouble
from cardtrail.services.decider.memory import Acknowledged, Proof, Watch

TABLE = "due"
_AFTER = timedelta(seconds=1)


def wanted(rows: Rows) -> dict[Key, DeadlinePassed]:
    """Every instant waited for: the fact to tell when it comes, by key."""
    return {key: _fact(key, row["due"]) for key, row in rows.table(TABLE).items()}


def changed(changes: Changes) -> dict[Key, DeadlinePassed | None]:
    """What a batch changed: the new instant by key, None where nothing is waited for any more."""
    return {key: _fact(key, row["due"]) if row else None for (table, key), row in changes.items() if table == TABLE}


def patience(rows: Rows, agent: str, principal: str, watch: Watch, policy: Policy) -> None:
    """Wait for the end of patience while there is trouble, for nothing otherwise."""
    ends = trouble.patience_ends(watch, policy)
    unreachable = watch.trouble is not None and watch.trouble.kind == "unreachable"
    for what, waits in (("staleness", unreachable), ("grace", not unreachable)):
        _want(rows, (what, agent, principal, "", ""), ends if waits else None, watch.now)


def evidence(rows: Rows, pair: Key, proof: Proof, age: int, now: datetime) -> None:
    """Wait until the first evidence of a pair is too old; `age` in seconds, 0 where it does not matter."""
    ends = [datetime.fromisoformat(one.at) + timedelta(seconds=age) + _AFTER for one in proof.entries] if age else []
    _want(rows, _key("evidence", pair), min((end for end in ends if end > now), default=None), now)


def acknowledgements(rows: Rows, pair: Key, before: Acknowledged, after: Acknowledged, now: datetime) -> None:
    """Wait for the end of every acknowledgement that has one; `before` are those waited for until now."""
    until = {one.fingerprint: one.until for one in after.entries}
    for fingerprint in {one.fingerprint for one in before.entries} | set(until):
        end = until.get(fingerprint)
        _want(rows, _key("acknowledgement", pair, fingerprint), datetime.fromisoformat(end) if end else None, now)


def cancel(rows: Rows, pair: Key, held: Acknowledged) -> None:
    """Wait for nothing of a pair any more."""
    rows.delete(TABLE, _key("evidence", pair))
    for one in held.entries:
        rows.delete(TABLE, _key("acknowledgement", pair, one.fingerprint))


def _key(what: str, pair: Key, fingerprint: str = "") -> Key:
    workflow, named, principal = pair
    return (what, named, principal, workflow, fingerprint)


def _want(rows: Rows, key: Key, due: datetime | None, now: datetime) -> None:
    if due is None or due <= now:
        rows.delete(TABLE, key)
    else:
        rows.put(TABLE, key, {"due": instant(due)})


def _fact(key: Key, due: str) -> DeadlinePassed:
    what, agent, principal, workflow, fingerprint = key
    return DeadlinePassed(
        what=cast("Deadline", what),
        agent=agent,
        principal=principal,
        workflow=workflow,
        fingerprint=fingerprint,
        due=due,
    )
