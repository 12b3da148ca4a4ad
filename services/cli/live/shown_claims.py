"""What a running tracker has seen of the claims that a lock rests on."""

from pathlib import Path

from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.lockfile import Lockfile


def shown_claims(lock: Lockfile, config: Path | None) -> tuple[Evidence, ...]:
    """The evidence about the lock's agent as its principal sees it, without what the projection keeps beside.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`. BrokerUnreachable: no tracker runs.
    """
    from cardtrail.services.cli.live.known import show  # noqa: PLC0415 — who pins without a tracker needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: show(tracker, lock.agent, lock.principal, None))
    return tuple(Evidence.model_validate({name: row[name] for name in Evidence.model_fields}) for row in found.evidence)
