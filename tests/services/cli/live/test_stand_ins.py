"""Who stands in for whom: each once, without those that have a lock of their own; and which locks stand alone."""

from cardtrail.events.model.lockfile import Candidate
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.projection import Rows
from cardtrail.projections.routes import Routes
from cardtrail.services.cli.live.stand_ins import StandIn, alone, of_agent, own, stand_ins
from tests.projections.facts import decided, lock, pinned
from tests.projections.log import Log

FARES = Candidate(agent="https://fares.example/card", skills={"quote": "fare"})


def told(log: Log) -> tuple[StandIn, ...]:
    rows = rows_of(log)
    return stand_ins(rows.table("routes").values(), own(rows.table("lockfile_status").values()))


def rows_of(log: Log) -> Rows:
    rows = Rows()
    for stored in log.facts:
        for fold in (Routes(), LockfileStatus()):
            fold.apply(stored, rows)
    return rows


def test_a_fallback_is_told_once_for_all_skills_under_both_its_names_with_the_rules_behind_its_verdict() -> None:
    log = Log()
    pinned(log, lock(FARES, skills=("quote", "book")))
    (one,) = told(log)
    assert (one.agent, one.stands_in, one.verdict, one.decision) == ("pricing", FARES.agent, "pending", None)
    decided(log, "breaking", "stop", "skill-removed", agent=FARES.agent, watched="fares")
    (one,) = told(log)
    assert (one.workflow, one.watched, one.verdict, one.rules) == ("trip", "fares", "breaking", ("skill-removed",))
    assert of_agent([one], {"fares"}) == of_agent([one], {FARES.agent}) == (one,)
    assert of_agent([one], {"pricing"}) == ()


def test_one_with_a_lock_of_its_own_is_no_stand_in_without_one_and_stands_behind_the_other_all_the_same() -> None:
    log = Log()
    pinned(log, lock(FARES))
    pinned(log, lock(agent=FARES.agent, skills=("fare",)), agent="fares", candidate_of="pricing")
    decided(log, "breaking", "stop", "skill-removed", agent="fares")
    assert told(log) == ()
    assert list(alone(rows_of(log).table("routes").values())) == [("public", "trip", "pricing")]


def test_a_lock_stands_alone_while_all_its_fallbacks_are_stopped() -> None:
    log = Log()
    pinned(log, lock(Candidate(agent="fares"), Candidate(agent="quotes")))
    decided(log, "breaking", "stop", "skill-removed", agent="fares")
    assert alone(rows_of(log).table("routes").values()) == {}, "one awaits its decision"
    decided(log, "breaking", "stop", "skill-removed", agent="quotes")
    ((key, held),) = alone(rows_of(log).table("routes").values()).items()
    assert (key, [one.stands_in for one in held]) == (("public", "trip", "pricing"), ["fares", "quotes"])
    decided(log, "review", "probe", "agent-version-changed", agent="quotes")
    assert alone(rows_of(log).table("routes").values()) == {}
