"""Every fact in order, as it lies on the log, with what a reader sorts and sums by in columns beside it.

`history`: `sequence` of the stream, `id` (a repeated id is no second fact), `kind`, `agent`, `principal`, `workflow` ("" where
none), `source`, `time` observed and `stored_at` by the broker (UTC), `causation`, `correlation`, `late` (came behind a newer one
and changed nothing), `outcome` and `detail` in the words of its kind, `status` and `latency_ms` where it has them, `event` as
stored.
"""

from cardtrail.events.fact import Stored, encode
from cardtrail.projections.instants import micros
from cardtrail.projections.lateness import late
from cardtrail.projections.outcome import outcome
from cardtrail.projections.projection import Rows, Table

HISTORY = Table(
    "history",
    columns={
        "sequence": "UBIGINT",
        "id": "UUID",
        "kind": "VARCHAR",
        "agent": "VARCHAR",
        "principal": "VARCHAR",
        "workflow": "VARCHAR",
        "source": "VARCHAR",
        "time": "TIMESTAMP",
        "stored_at": "TIMESTAMP",
        "causation": "UUID",
        "correlation": "UUID",
        "late": "BOOLEAN",
        "outcome": "VARCHAR",
        "detail": "VARCHAR",
        "status": "INTEGER",
        "latency_ms": "INTEGER",
        "event": "VARCHAR",
    },
    unique="id",
)

_MOST = 2**31 - 1


class AgentHistory:
    """The fold that keeps all and forgets nothing."""

    name = "agent_history"

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Append one fact: a line of `HISTORY`'s columns."""
        fact, event = stored.fact, stored.fact.data
        members = event.__dict__
        word, detail = outcome(event)
        line = (
            stored.sequence,
            fact.id.hex,
            event.kind,
            members.get("agent", ""),
            members.get("principal", ""),
            members.get("workflow", ""),
            fact.source,
            micros(fact.time),
            micros(stored.stored_at),
            fact.causation.hex if fact.causation else None,
            fact.correlation.hex if fact.correlation else None,
            late(stored, rows),
            word,
            detail,
            _fitting(members.get("status")),
            _fitting(members.get("latency_ms")),
            (stored.raw or encode(fact)).decode(),
        )
        rows.append(HISTORY.name, line)


def _fitting(number: int | None) -> int | None:
    """A number as its column can hold it: no fact may keep all that follow from the store."""
    return None if number is None else max(min(number, _MOST), -_MOST)
