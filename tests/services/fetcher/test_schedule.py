"""Jitter, back-off and pace, by a clock that the test holds."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.card_fetched import Freshness
from cardtrail.services.fetcher.schedule import next_look, next_try, paced
from cardtrail.services.jitter import fraction, resumed

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
DAY = 86_400
AGENTS = [f"agent-{n}" for n in range(10_000)]


def after(instant: datetime) -> float:
    return (instant - NOW).total_seconds()


@given(st.text(), st.integers(min_value=0, max_value=10**6))
def test_jitter_is_a_fraction_and_the_same_every_time(agent: str, look: int) -> None:
    assert 0 <= fraction(agent, look) < 1
    assert fraction(agent, look) == fraction(agent, look)


def test_the_next_look_is_an_interval_away_and_a_tenth_later_at_most() -> None:
    waits = [after(next_look(NOW, DAY, Freshness(), agent, 1)) for agent in AGENTS[:500]]
    assert DAY <= min(waits) < max(waits) <= DAY * 1.1


def test_a_server_that_vouches_for_longer_is_believed_up_to_twice_the_interval() -> None:
    def wait(lifetime: int, age: int = 0) -> float:
        return after(next_look(NOW, DAY, Freshness(lifetime_s=lifetime, age_s=age, by="server"), "a", 1))

    assert wait(60) == wait(DAY) < wait(DAY + 3_600) < wait(2 * DAY) == wait(10 * DAY) <= 2.2 * DAY
    assert wait(2 * DAY, age=DAY) == wait(60)


def test_failures_double_the_wait_up_to_the_cap() -> None:
    waits = [after(next_try(NOW, n, "gone", cap_s=6 * 3_600, interval_s=DAY)) for n in range(1, 60)]
    assert 30 <= waits[0] <= 60
    assert all(one <= 6 * 3_600 for one in waits)
    assert min(waits[10:]) >= 3 * 3_600


def test_an_agent_gone_for_a_month_is_asked_a_handful_of_times_a_day() -> None:
    instant, looks = NOW, 0
    while after(instant) < 30 * DAY:
        looks += 1
        instant = next_try(instant, looks, "gone", cap_s=6 * 3_600, interval_s=DAY)
    assert looks / 30 < 8


def test_retry_after_is_honoured_and_a_hostile_one_does_not_blind_us() -> None:
    def wait(asked: int) -> float:
        return after(next_try(NOW, 1, "a", cap_s=3_600, interval_s=DAY, retry_after_s=asked))

    assert 7_200 <= wait(7_200) <= 7_200 * 1.1
    assert wait(0) <= 60
    assert wait(10**9) <= 7 * DAY * 1.1


def test_an_agent_watched_closely_is_tried_again_as_closely() -> None:
    assert after(next_try(NOW, 1, "a", cap_s=3_600, interval_s=5)) <= 5


def test_ten_thousand_overdue_agents_come_back_one_by_one() -> None:
    starts = sorted(after(resumed(NOW - timedelta(days=1), NOW, agent, spread_s=600)) for agent in AGENTS)
    assert starts[0] >= 0
    assert starts[-1] < 600
    busiest = max(sum(second <= start < second + 1 for start in starts) for second in range(600))
    assert busiest < 50
    assert resumed(NOW + timedelta(seconds=5), NOW, "a") == NOW + timedelta(seconds=5)


def test_one_host_with_a_thousand_agents_is_asked_at_its_own_pace() -> None:
    last: datetime | None = None
    slots = []
    for _ in range(1_000):
        last = paced(NOW, last, gap_s=0.25)
        slots.append(after(last))
    assert slots[:3] == [0, 0.25, 0.5]
    assert slots[-1] == 999 * 0.25
    assert paced(NOW + timedelta(hours=1), last) == NOW + timedelta(hours=1)
