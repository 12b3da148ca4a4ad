"""An agent's facts written by hand and folded as the page folds them."""

from datetime import datetime, timedelta

from cardtrail.events import Stored
from cardtrail.projections.projection import Rows
from cardtrail.services.web.known import Known
from cardtrail.services.web.past import Past
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import START, Log

NOW = START + timedelta(seconds=100)


def at(seconds: float) -> datetime:
    """Seconds after the log began."""
    return START + timedelta(seconds=seconds)


def story() -> Log:
    """Looked at, pinned, fine; unchanged once; then a change that breaks it."""
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p.example"}, provider="Partner")
    compiled(log, full(log, "a"), profile())
    pinned(log, lock())
    decided(log, "compatible", "allow")
    log.say("card-fetched", same_as=2, status=304)
    compiled(log, full(log, "b"), profile(streaming=False))
    decided(log, "breaking", "stop", "streaming-withdrawn", previous="compatible")
    return log


def past(facts: list[Stored], principal: str = "public", agent: str = "pricing") -> Past:
    """What one principal's page knows of an agent."""
    told = Past(agent, principal)
    for stored in facts:
        told.tell(stored)
    return told


def known(facts: list[Stored], principal: str = "public") -> Known:
    """The rows behind the fleet."""
    told = past(facts, principal)
    return told.known()


def rows(facts: list[Stored]) -> Rows:
    """The same as rows."""
    return past(facts).rows
