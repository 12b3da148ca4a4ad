"""`show --was`: an agent as it was at an instant, by all that is known now, or was known at another."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from cardtrail.events.fact import instant
from cardtrail.services.audit.was import was as held_at
from cardtrail.services.cli.audit.blame import folded
from cardtrail.services.cli.audit.blame_text import fact, valued
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.past import through_at
from cardtrail.services.cli.live.status_text import agent as named
from cardtrail.services.cli.live.tracker import Tracker, on_tracker
from cardtrail.services.cli.live.when import clock, exact
from cardtrail.services.cli.outputs.show import Was, WasOutput
from cardtrail.services.cli.shell.console import Console, Style
from cardtrail.services.cli.shell.text import plain


def told(  # noqa: PLR0913, PLR0917 — of whom, for whom, when, by what
    console: Console, config: Path | None, given: str, principal: str | None, was: datetime, at: datetime | None
) -> None:
    """Ask, and print.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`.
    """
    found = on_tracker(config, lambda tracker: asked(tracker, given, principal, was, at))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))


async def asked(tracker: Tracker, given: str, principal: str | None, was: datetime, at: datetime | None) -> WasOutput:
    """Every capability of which something is known at `was`. Raises as `told`."""
    known = await directory(tracker.bus)
    key = known.agent(given, principal)
    through = await through_at(tracker, at)
    fold, _ = await folded(tracker, known, key, through)
    each = ((name, held_at(fold.of(name), was)) for name in fold.capabilities())
    return WasOutput(
        format="cardtrail.show-was/1",
        agent=key[0],
        principal=key[1],
        was=instant(was),
        as_of=instant(at) if at else None,
        through=through,
        known_from=tracker.log.known_from,
        capabilities=tuple(Was(capability=name, values=values) for name, values in each if values),
    )


def lines(found: WasOutput, style: Style) -> Iterator[str]:
    """A line for each capability: its value, or the two of which one held."""
    known = f"as was known at {exact(found.as_of)}" if found.as_of else "as is known now"
    yield f"{named(found.agent, found.principal)}  as it was at {exact(found.was)}, {known}, fact {found.through}"
    rows = [
        [plain(one.capability), *_cells(one, style, datetime.fromisoformat(found.was))] for one in found.capabilities
    ]
    if rows:
        yield from style.table(["CAPABILITY", "VALUE", "SURE", "FACT"], rows)
    else:
        yield "nothing is known of that time"
    if found.known_from > 1:
        yield f"unknown before fact {found.known_from}, where the log begins"


def _cells(one: Was, style: Style, was: datetime) -> list[str]:
    last = one.values[-1]
    value = " or ".join(map(valued, one.values))
    if len(one.values) == 1:
        return [value, "yes", fact(last.sequence, last.fact)]
    begun, ended = (
        clock(datetime.fromisoformat(at), was, terminal=bool(style.columns))
        for at in (last.after or "", last.first_seen)
    )
    return [value, f"changed between {begun} and {ended}", fact(last.sequence, last.fact)]
