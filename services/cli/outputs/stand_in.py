"""One that stands in for a lock's own agent, in the shape of several outputs."""

from cardtrail.events.model.value import Value
from cardtrail.services.planner.values import Word


class StandIn(Value):
    """An agent that a lock names as its fallback, judged by that lock's needs: it takes over where `agent` may not be used.

    `stands_in` is its name in the lock, `watched` the one under which it is watched; `rules` give the verdict, `valid_from` and
    `decision` are those of the decision in force (null before the first one).
    """

    workflow: str
    principal: str
    agent: str
    stands_in: str
    watched: str
    verdict: Word
    action: str | None
    rules: tuple[str, ...]
    valid_from: str | None
    decision: str | None
    owner: str
