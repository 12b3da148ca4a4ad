"""How far cards that take turns are from the end of it, as several outputs show it."""

from cardtrail.events.model.finding import Verdict
from cardtrail.events.model.value import Value


class Turning(Value):
    """A lock whose verdict `card-flapping` holds: `equal` looks in a row showed one card, of `needed` that end it.

    `agent` is as the lock calls it.
    """

    workflow: str
    agent: str
    principal: str
    verdict: Verdict
    equal: int
    needed: int
