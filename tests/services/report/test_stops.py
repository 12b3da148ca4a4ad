"""What a stop costs, case by case: how long, whether another agent stood ready, what would have gone to it."""

from datetime import timedelta

import pytest

from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires
from cardtrail.projections.intervals import poisson
from cardtrail.services.report.rows import Delegated, LockEvent
from cardtrail.services.report.stops import cost, stops
from tests.services.report.cases import FLEET, at, held

DAY = timedelta(days=1)


def decided(day: float, action: str, *, named: str = "pricing", workflow: str = "trip") -> LockEvent:
    verdict = {"stop": "breaking", "probe": "review"}.get(action, "compatible")
    return LockEvent(int(day * 100), at(day), named, workflow, named, verdict, action, "agent")


def pinned(
    day: float, *fallback: str, named: str = "pricing", workflow: str = "trip", candidate_of: str = ""
) -> LockEvent:
    lock = Lockfile(
        workflow=workflow,
        agent=named,
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=Requires(),
        fallback=tuple(Candidate(agent=name) for name in fallback),
    ).model_dump_json()
    return LockEvent(
        int(day * 100), at(day), named, workflow, named, "lockfile-pinned", None, "pin", lock, candidate_of or None
    )


def released(day: float, named: str) -> LockEvent:
    return LockEvent(int(day * 100), at(day), named, "trip", named, "lockfile-released", None, "pin")


def test_stops_are_counted_from_the_period_on_and_by_lock() -> None:
    events = [decided(1, "stop"), decided(2, "stop", workflow="b"), decided(11, "allow"), decided(199, "stop")]
    (whole,) = cost(held(locks=events), FLEET)
    assert (whole.workflows, whole.stops, whole.stopped_s / 86_400) == (2, 3, 10 + 198 + 1)
    (part,) = cost(held(locks=events, since=at(100)), FLEET)
    assert (part.workflows, part.stops, part.stopped_s / 86_400) == (2, 2, 100 + 1)


@pytest.mark.parametrize(
    ("events", "days"),
    [
        ([decided(10, "stop"), decided(20, "allow")], 0),
        ([pinned(1, "fares"), decided(10, "stop"), decided(20, "allow")], 0),
        ([pinned(1, "fares"), decided(2, "allow", named="fares"), decided(10, "stop"), decided(20, "allow")], 10),
        ([pinned(1, "fares"), decided(10, "stop"), decided(14, "probe", named="fares"), decided(20, "allow")], 6),
        (
            [
                pinned(1, "fares", "maps"),
                decided(2, "allow-degraded", named="fares"),
                decided(10, "stop"),
                decided(12, "stop", named="fares"),
                decided(15, "allow", named="maps"),
                decided(20, "allow"),
            ],
            7,
        ),
        ([pinned(1), decided(2, "allow", named="fares"), decided(10, "stop"), decided(20, "allow")], 0),
        (
            [
                pinned(1, "fares"),
                pinned(2, named="fares", candidate_of="pricing"),
                decided(3, "allow", named="fares"),
                decided(10, "stop"),
                released(13, "fares"),
                decided(20, "allow"),
            ],
            3,
        ),
        (
            [
                pinned(1, "fares"),
                decided(2, "allow", named="fares"),
                decided(10, "stop"),
                pinned(12, "maps"),
            ],
            2,
        ),
        (
            [
                pinned(1, "fares", workflow="other"),
                decided(2, "allow", named="fares", workflow="other"),
                decided(10, "stop"),
                decided(20, "allow"),
            ],
            0,
        ),
    ],
    ids=[
        "no lock is known",
        "a fallback nobody judged",
        "a fallback all the time",
        "a fallback from the middle on",
        "one goes, another comes",
        "no fallback of this lock",
        "a fallback that is released",
        "another lock ends the stop",
        "a fallback of another workflow",
    ],
)
def test_an_alternative_is_at_hand_while_it_is_of_the_lock_judged_and_not_stopped(
    events: list[LockEvent], days: float
) -> None:
    (stop,) = [one for one in stops(held(locks=events)) if one.agent == "pricing"]
    assert stop.at_hand == days * DAY
    (line,) = cost(held(locks=events), FLEET)
    assert line.at_hand_s == days * 86_400


def test_a_fallback_that_is_stopped_has_the_first_agent_as_its_alternative() -> None:
    events = [
        pinned(1, "fares"),
        decided(2, "allow"),
        decided(5, "stop", named="fares"),
        decided(9, "allow", named="fares"),
    ]
    (stop,) = stops(held(locks=events))
    assert (stop.agent, stop.at_hand) == ("fares", 4 * DAY)


def test_what_was_not_delegated_is_told_by_the_rate_of_the_thirty_days_before() -> None:
    calls = [Delegated("pricing", "trip", at(day), 5) for day in range(41)]
    events = [decided(40.5, "stop"), decided(42.5, "allow")]
    (line,) = cost(held(locks=events, delegations=calls), FLEET)
    low, high = poisson(150)
    assert (line.delegations, line.low, line.high) == pytest.approx(
        (150 * 2 / 30, low * 2 / 30, high * 2 / 30), rel=1e-5
    )


def test_without_reported_calls_nobody_knows_what_was_not_delegated() -> None:
    events = [decided(40, "stop"), decided(42, "allow")]
    others = [Delegated("pricing", "other", at(3), 5), Delegated("fares", "trip", at(3), 5)]
    (line,) = cost(held(locks=events, delegations=others), FLEET)
    assert (line.delegations, line.low, line.high) == (None, None, None)
    quiet = [Delegated("pricing", "trip", at(3), 5)]  # known, and none in the thirty days before
    (line,) = cost(held(locks=events, delegations=quiet), FLEET)
    assert line.delegations == 0
    assert line.high is not None
    assert line.high > 0
