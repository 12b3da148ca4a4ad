"""Two states of knowledge about one agent side by side: as `show` has them, told apart."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cardtrail.services.audit.compare import Known, differences
from cardtrail.services.cli.audit.compare_text import lines
from cardtrail.services.cli.live.known import show
from cardtrail.services.cli.live.tracker import Tracker, on_tracker
from cardtrail.services.cli.outputs.show import ComparedOutput, ShownSide, ShowOutput
from cardtrail.services.cli.shell.console import Console


class Side(NamedTuple):
    """Whose knowledge (None: public, or the only one), and as of when (None: now)."""

    principal: str | None
    at: datetime | None


def told(console: Console, config: Path | None, given: str, before: Side, after: Side) -> None:
    """Compare, and print. Raises as `compare`."""
    found = on_tracker(config, lambda tracker: compare(tracker, given, before, after))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))


async def compare(tracker: Tracker, given: str, before: Side, after: Side) -> ComparedOutput:
    """What differs.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`.
    """
    old, new = [await show(tracker, given, side.principal, side.at) for side in (before, after)]
    return ComparedOutput(
        format="cardtrail.show-against/1",
        agent=new.agent,
        before=_side(old),
        after=_side(new),
        changes=tuple(differences(_known(old), _known(new))),
    )


def _side(found: ShowOutput) -> ShownSide:
    return ShownSide(
        principal=found.principal,
        as_of=found.as_of,
        through=found.through,
        profile_digest=found.profile_digest,
        version=found.identity.version if found.identity else "",
    )


def _known(found: ShowOutput) -> Known:
    return Known(
        profile=found.profile,
        identity=found.identity,
        locks={lock.workflow: f"{lock.verdict}, {lock.action or 'no action yet'}" for lock in found.locks},
        watch={"watched": "yes" if found.watched else "no", "heard": found.heard},
    )
