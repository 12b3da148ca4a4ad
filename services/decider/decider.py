"""The decider: one fold in stream order that says what a change means for each lock. Reads profiles, never cards."""

from collections.abc import Iterator

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.fact import AgentEvent, Fact, Stored, told_ms
from cardtrail.events.policy_declared import PolicyDeclared
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Rows
from cardtrail.services.decider import decision
from cardtrail.services.decider.absorb import ABSORB
from cardtrail.services.decider.judged import Judge
from cardtrail.services.decider.memory import PolicyInForce, Standing, declare, policy_in_force
from cardtrail.services.decider.moment import Moment, Touched, moment
from cardtrail.services.decider.standing import outdated, settle
from cardtrail.services.kept import load


class Decider:
    """A deriver: the same prefix of the log gives the same decisions with the same ids, in whatever batches it comes."""

    name = decision.NAME

    def __init__(self, judge: Judge, rules_version: str) -> None:
        """Judge by these rules."""
        self._judge, self._rules_version = judge, rules_version

    def derive(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
        """Change memory by one fact and say what has changed for each lock."""
        event = stored.fact.data
        if isinstance(event, PolicyDeclared):
            declare(rows, PolicyInForce(policy=event.policy, digest=event.digest, order=told_ms(stored.fact.id)))
        if not isinstance(event, AgentEvent) or type(event) not in ABSORB or late(stored, rows):
            return ()
        held = moment(stored, event, rows)
        told = tuple(self._catch_up(held)) if isinstance(event, CardFetched) else ()
        touched = ABSORB[type(event)](held, event)
        return (*told, *self._settled(touched, moment(stored, event, rows))) if touched else told

    def _settled(self, touched: Touched, held: Moment) -> Iterator[Fact]:
        for pair in held.pairs(touched.workflow):
            fact = settle(self._judge, self._rules_version, held, touched, pair)
            if fact is not None:
                yield fact

    def _catch_up(self, held: Moment) -> Iterator[Fact]:
        """Other rules or another policy are felt with the next observation, before it counts, and blamed on nobody."""
        digest = policy_in_force(held.rows).digest
        for pair in held.pairs():
            standing = load(held.rows, Standing, pair)
            cause = outdated(standing, digest, self._rules_version) if standing else None
            fact = settle(self._judge, self._rules_version, held, Touched(cause), pair) if cause else None
            if fact is not None:
                yield fact
