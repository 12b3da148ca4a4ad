"""How many facts the reports of one workflow may make in an hour: what is over is counted and said, and is no fact. Pure.

Nobody can take facts off the log, and a full log refuses everybody's. Hours are the broker's, and what was spent is kept with the
place in the queue, so a batch that is told again is bounded as before.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from cardtrail.events import CallsCounted, Fact, RuntimeErrorObserved
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Rows
from cardtrail.services.card.paths import visible
from cardtrail.services.kept import drop, keys, load, save

_HOUR = "%Y-%m-%dT%H:00Z"
_SAID = timedelta(days=1)
_Whose = tuple[str, str]


class Spent(Value):
    """What a workflow's reports came to in the hour that began at `since`: facts told, facts that were over, calls in those."""

    since: str
    told: int = 0
    over: int = 0
    calls: int = 0


def within(facts: Iterable[Fact], at: datetime, rows: Rows, most: int) -> tuple[list[Fact], dict[_Whose, Spent]]:
    """The facts of a batch stored `at` that may be told, and what to `keep` once they are; each workflow has `most` an hour."""
    since, spent, told = at.strftime(_HOUR), dict[_Whose, Spent](), list[Fact]()
    for fact in facts:
        event = fact.data
        if not isinstance(event, CallsCounted | RuntimeErrorObserved):
            continue
        whose = (event.workflow, event.principal)
        one = spent.get(whose) or load(rows, Spent, whose)
        if one is None or one.since != since:
            one = Spent(since=since)
        if one.told < most:
            told.append(fact)
            spent[whose] = one.model_copy(update={"told": one.told + 1})
        else:
            calls = event.calls if isinstance(event, CallsCounted) else 0
            spent[whose] = one.model_copy(update={"over": one.over + 1, "calls": one.calls + calls})
    return told, spent


def keep(rows: Rows, spent: dict[_Whose, Spent]) -> None:
    """They were told; what other workflows spent longer ago than `alarms` looks back is forgotten."""
    for whose, one in spent.items():
        save(rows, whose, one)
    oldest = min((_recent(datetime.fromisoformat(one.since)) for one in spent.values()), default="")
    for key in tuple(keys(rows, Spent)):
        held = load(rows, Spent, key)
        if held is not None and held.since < oldest:
            drop(rows, Spent, key)


def alarms(rows: Rows, now: datetime) -> Iterator[str]:
    """Whose reports were over in the last hour in which they sent any, if that was within a day."""
    recent = _recent(now)
    for workflow, principal in keys(rows, Spent):
        one = load(rows, Spent, (workflow, principal))
        if one is not None and one.over and one.since >= recent:
            who = visible(workflow) if principal == PUBLIC else f"{visible(workflow)} as {visible(principal)}"
            over = f"{one.over} more, with {one.calls} calls, were not told"
            yield f"reports of {who} made {one.told} facts in the hour from {one.since}; {over}"


def _recent(now: datetime) -> str:
    return (now - _SAID).strftime(_HOUR)
