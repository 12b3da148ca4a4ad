"""How an agent stands now, from its row of `freshness` and the policy's patience. Pure."""

from datetime import datetime, timedelta
from typing import cast

from cardtrail.projections.projection import Row
from cardtrail.services.cli.outputs.status import Heard
from cardtrail.services.cli.shell.console import Level

LEVELS: dict[Heard, Level] = {
    "fresh": "ok",
    "stale": "warning",
    "unreachable": "error",
    "unreadable": "error",
    "signature": "error",
    "unheard": "unknown",
}


def heard(row: Row | None, staleness_s: int, now: datetime) -> Heard:
    """The trouble since the last answer, else whether that answer is younger than `staleness_s` seconds."""
    if row is None:
        return "unheard"
    if row["trouble"] is not None:
        return cast("Heard", row["trouble"]["kind"])
    if row["last_success"] is None:
        return "unheard"
    late = datetime.fromisoformat(row["last_success"]) + timedelta(seconds=staleness_s) < now
    return "stale" if late else "fresh"
