"""What `doctor` looks at: one module per part of the tracker, one line per module in CHECKS. Pure: all was gathered before."""

from collections.abc import Callable, Iterator

from cardtrail.services.cli.live.checks import agents, broker, buckets, expiries, locks, services, settings
from cardtrail.services.cli.live.checks.gathered import Gathered
from cardtrail.services.cli.outputs.doctor import Check

CHECKS: tuple[Callable[[Gathered], Iterator[Check]], ...] = (
    settings.checks,
    broker.checks,
    buckets.checks,
    services.checks,
    agents.checks,
    locks.checks,
    expiries.checks,
)
