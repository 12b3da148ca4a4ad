"""Notice and recovery, case by case."""

import pytest

from cardtrail.services.report.fleet import ranks
from cardtrail.services.report.notice import notice_shares, notices
from cardtrail.services.report.recovery import episodes, recovery
from cardtrail.services.report.rows import Broken, Changed, LockEvent
from tests.services.report.cases import FLEET, at, held


def change(day: float, before: str, after: str, *, sequence: int, interfaces: tuple[int, int] = (1, 1)) -> Changed:
    return Changed(
        agent="pricing",
        sequence=sequence,
        after=at(day - 0.5),
        first_seen=at(day),
        version_before=before,
        version=after,
        moved_profile=True,
        capabilities=[],
        verdict=None,
        key=f"key-{sequence}",
        interfaces_before=interfaces[0],
        interfaces=interfaces[1],
    )


def broken(change_: Changed, key: str = "") -> Broken:
    return Broken(
        "pricing",
        change_.sequence,
        change_.first_seen,
        "profile-compiled",
        ["trip"],
        ["skill-removed"],
        key or change_.key,
        change_.sequence,
    )


BREAK = change(100, "2.0.0", "2.0.0", sequence=50)
CASES = {
    "a raised version before": ([change(90, "1.0.0", "2.0.0", sequence=10)], {}, ("before", "version", 9.5, 10.5)),
    "a patch is no sign": ([change(90, "1.0.0", "1.0.1", sequence=10)], {}, ("never", "", None, None)),
    "a version gone down is no sign": ([change(90, "2.0.0", "1.0.0", sequence=10)], {}, ("never", "", None, None)),
    "an interface beside the old one": (
        [change(80, "1", "1", sequence=10, interfaces=(1, 2))],
        {},
        ("before", "interface", 19.5, 20.5),
    ),
    "the first of several signs": (
        [change(60, "1", "2", sequence=10), change(90, "2", "3", sequence=20)],
        {},
        ("before", "version", 39.5, 40.5),
    ),
    "a sign a year ago is none": ([change(5, "1", "2", sequence=10)], {}, ("never", "", None, None)),
    "a deprecation header": ([], {"pricing": at(70)}, ("before", "deprecation", 29.5, None)),
    "after the break": ([change(103, "1", "2", sequence=60)], {}, ("after", "version", -3.5, -2.5)),
    "long after is never": ([change(195, "1", "2", sequence=60)], {}, ("never", "", None, None)),
    "nothing at all": ([], {}, ("never", "", None, None)),
}


@pytest.mark.parametrize("case", CASES)
def test_notice_is_the_first_sign_before_the_break_as_a_range(case: str) -> None:
    signs, announced, (kind, sign, low, high) = CASES[case]
    changes = sorted([*signs, BREAK], key=lambda one: one.first_seen)
    (line,) = notices(held(changes=changes, breaks=[broken(BREAK)], announced=announced), FLEET)
    days = [None if end is None else end / 86_400 for end in (line.low_s, line.high_s)]
    assert (line.notice, line.sign, *days) == (kind, sign, low, high)


def test_a_version_on_the_very_card_is_neither_before_nor_after() -> None:
    one = change(100, "1.0.0", "2.0.0", sequence=50)
    (line,) = notices(held(changes=[one], breaks=[broken(one)]), FLEET)
    assert (line.notice, line.sign, line.low_s, line.high_s) == ("same card", "version", 0, 0)


def test_a_sign_of_an_earlier_break_announces_no_later_one_and_a_break_that_comes_again_is_one() -> None:
    sign, first = change(80, "1", "2", sequence=10), change(90, "2", "2", sequence=20)
    again, other = change(95, "2", "2", sequence=30), change(110, "2", "2", sequence=40)
    found = held(changes=[sign, first, again, other], breaks=[broken(first), broken(again, first.key), broken(other)])
    assert [line.notice for line in notices(found, FLEET)] == ["before", "never"]
    shares = {
        one.notice: (one.share.held, one.share.tried, one.share.few) for one in notice_shares(notices(found, FLEET))
    }
    assert shares == {"before": (1, 2, True), "same card": (0, 2, True), "after": (0, 2, True), "never": (1, 2, True)}


def lock(
    day: float, verdict: str, *, cause: str = "agent", workflow: str = "trip", action: str | None = None
) -> LockEvent:
    named = "lockfile" not in verdict
    does = action or {"breaking": "stop", "review": "probe", "compatible": "allow"}.get(verdict)
    return LockEvent(
        int(day * 100),
        at(day),
        "pricing" if named else "https://pricing.example",
        workflow,
        "https://pricing.example",
        verdict,
        does,
        cause,
    )


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([lock(1, "breaking"), lock(3, "compatible")], [(2, True)]),
        ([lock(1, "breaking"), lock(3, "review")], [(2, True)]),
        ([lock(1, "breaking"), lock(2, "breaking"), lock(4, "compatible")], [(3, True)]),
        ([lock(1, "breaking")], [(199, False)]),
        ([lock(1, "breaking"), lock(6, "lockfile-pinned", cause="pin")], [(5, False)]),
        ([lock(1, "breaking"), lock(6, "lockfile-released", cause="pin")], [(5, False)]),
        ([lock(1, "breaking"), lock(6, "compatible", cause="tool")], [(5, False)]),
        ([lock(1, "breaking", cause="policy"), lock(6, "compatible")], []),
        ([lock(1, "breaking", cause="pin"), lock(6, "compatible")], []),
        (
            [
                lock(1, "breaking"),
                lock(2, "breaking", workflow="b"),
                lock(3, "compatible"),
                lock(5, "compatible", workflow="b"),
            ],
            [(4, True)],
        ),
        ([lock(1, "breaking"), lock(2, "compatible", workflow="b"), lock(3, "compatible")], [(2, True)]),
        (
            [lock(1, "breaking"), lock(2, "compatible"), lock(3, "breaking"), lock(4, "compatible")],
            [(1, True), (1, True)],
        ),
    ],
)
def test_a_break_stands_until_the_agent_mends_it(events: list[LockEvent], expected: list[tuple[float, bool]]) -> None:
    found = [(one.lasted_s / 86_400, one.recovered) for one in episodes(held(locks=events))]
    assert found == expected


def test_half_is_mended_when_the_curve_has_come_down_to_it() -> None:
    events = [
        event for day in range(0, 60, 3) for event in (lock(day, "breaking"), lock(day + 1 + day % 2 / 2, "compatible"))
    ]
    ((line,), curve) = recovery(held(locks=events), FLEET)
    assert (line.breaks, line.standing, line.median_s, line.few) == (20, 0, 86_400, False)
    assert [(point.at_s, point.share) for point in curve] == [(86_400, 0.5), (129_600, 0.0)]


def test_equal_lower_ends_share_a_place_and_too_few_have_none() -> None:
    assert ranks({"a": 0.912, "b": 0.908, "c": 0.5, "d": None, "e": 0.91}) == {"a": 1, "b": 1, "e": 1, "c": 4}
