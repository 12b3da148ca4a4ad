"""Who cannot be judged any more, because a fact about it cannot be applied, is doubtful for planners from that fact on."""

from datetime import datetime, timedelta

from cardtrail.events import Stored, encode
from cardtrail.events.subjects import subject
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Row, Rows
from cardtrail.projections.routes import Routes
from cardtrail.services.bus.attempt import Attempts, Folded
from cardtrail.services.planner.permission import Known, Permission, decide
from cardtrail.services.planner.values import Route, read
from cardtrail.services.rebuild import Through
from tests.projections.facts import decided, full, lock, pinned
from tests.projections.log import Log


class Folding:
    """The routes of one principal, fed as the projector feeds them."""

    def __init__(self, principal: str = "public", through: int = 1_000) -> None:
        self.rows = Rows()
        fold = Through(OnePrincipal(Routes(), principal), through)
        self.attempts = Attempts(Folded(fold), self.rows, lambda _: None)

    def apply(self, stored: Stored, *, broken: bool = False) -> None:
        data = encode(stored.fact)
        told = data.replace(b'"raw_digest":"', b'"raw_digest":-1,"was":"') if broken else data
        assert broken == (told != data)
        self.attempts.apply(stored.sequence, stored.stored_at, subject(stored.fact.data), told)

    def candidate(self) -> Row:
        row = self.rows.get("routes", ("public", "trip", "quote"))
        assert row is not None
        return dict(row["candidates"][0])

    def may(self, now: datetime) -> Permission:
        route = read(Route, self.rows.get("routes", ("public", "trip", "quote")) or {})
        return decide(Known(workflow="trip", route=route), "quote", now)


def judged() -> Log:
    log = Log()
    full(log, "a")
    pinned(log, lock())
    decided(log, "compatible", "allow")
    return log


def test_its_routes_are_stale_from_the_fact_on_and_fresh_once_that_is_applied() -> None:
    log, folding = judged(), Folding()
    for stored in log.facts:
        folding.apply(stored)
    before = folding.candidate()["stale_after"]
    now = log.facts[-1].stored_at + timedelta(minutes=1)
    assert folding.may(now).fresh
    poison = full(log, "b")
    folding.apply(poison, broken=True)
    assert datetime.fromisoformat(folding.candidate()["stale_after"]) == poison.stored_at
    assert not folding.may(now).fresh
    assert "stale" in {reason.code for reason in folding.may(now).reasons}
    later = full(log, "b")
    folding.apply(later)
    assert not folding.may(now).fresh, "what comes behind it is held back, too"
    (place, _), *_ = folding.attempts.parked()
    folding.attempts.retry(place, [(one.sequence, one.stored_at, encode(one.fact)) for one in (poison, later)])
    assert folding.candidate()["stale_after"] > before
    assert folding.may(now).fresh


def test_a_fact_that_is_none_of_the_principals_or_beyond_the_end_changes_no_route() -> None:
    log = judged()
    poison = full(log, "b")
    for folding in (Folding("team-b"), Folding(through=poison.sequence - 1)):
        for stored in log.facts[:-1]:
            folding.apply(stored)
        before = dict(folding.rows.table("routes"))
        folding.apply(poison, broken=True)
        assert folding.rows.table("routes") == before
        assert not folding.rows.table("held")
