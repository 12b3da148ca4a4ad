"""`replay` in its two readings: what is kept beside the log, and the log under a hypothesis."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.services.cli.audit.hypothesis import hypothesis
from cardtrail.services.cli.audit.on_broker import on_log
from cardtrail.services.cli.audit.options import Otherwise
from cardtrail.services.cli.audit.verify import verified
from cardtrail.services.cli.audit.what_if import what_if
from cardtrail.services.cli.audit.what_if_text import lines as what_if_lines
from cardtrail.services.cli.live.replay import replay
from cardtrail.services.cli.live.replay_text import lines
from cardtrail.services.cli.live.tracker import Tracker, on_tracker
from cardtrail.services.cli.outputs.replay import ReplayOutput
from cardtrail.services.cli.shell.console import Console


def replayed(  # noqa: PLR0913 — what is asked for
    console: Console,
    config: Path | None,
    named: Sequence[str],
    principal: str | None,
    *,
    verify: bool,
    repair: bool,
) -> int:
    """Compare, print, and say by the exit code whether all is as the log has it."""

    async def body(tracker: Tracker) -> ReplayOutput:
        found = await replay(tracker, named, principal, console.progress, repair=repair)
        if not verify:
            return found
        derived = await verified(tracker, console.progress)
        return found.model_copy(update={"derived": derived, "seconds": round(found.seconds + derived.seconds, 3)})

    found = on_log(config, body) if repair else on_tracker(config, body)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
    same = all(one.same or one.repaired for one in found.results)
    return 0 if same and (found.derived is None or found.derived.same) else 1


def supposed(console: Console, config: Path | None, otherwise: Otherwise) -> int:
    """Say which past verdicts would differ; exit 0 whatever is found."""
    under = hypothesis(otherwise.rules, otherwise.client, recompile=otherwise.recompile)
    found = on_tracker(config, lambda tracker: what_if(tracker, under, console.progress))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*what_if_lines(found, console.out, datetime.now(UTC)))
    return 0
