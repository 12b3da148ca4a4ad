"""Refusals counted and compared: a spike is many of a kind, and many more than usual."""

from datetime import UTC, datetime, timedelta

import pytest

from cardtrail.events import CardRefused, Fact, Stored, observation_id
from cardtrail.projections.projection import Rows
from cardtrail.services.discovery_settings import SpikeSettings
from cardtrail.services.fetcher.dispatch import Dispatch
from cardtrail.services.fetcher.rejections import KEPT_S, REJECTIONS, SLOT_S, counted, spikes

NOW = datetime(2026, 10, 2, 12, 7, tzinfo=UTC)
SETTINGS = SpikeSettings(window=3_600, baseline=86_400, factor=4.0, least=10)


def refused(reason: str = "content-type") -> CardRefused:
    return CardRefused(agent="a", stage="fetch", reason=reason)


def rows(*times: tuple[int, timedelta], reason: str = "content-type") -> Rows:
    found = Rows()
    for count, ago in times:
        for _ in range(count):
            counted(refused(reason), NOW - ago, found)
    return found


def found(given: Rows, settings: SpikeSettings = SETTINGS) -> list[tuple[str, int]]:
    return [(one.reason, one.count) for one in spikes(given.table(REJECTIONS), settings, NOW)]


@pytest.mark.parametrize(
    ("times", "count"),
    [
        ([(10, timedelta(minutes=20))], 10),
        ([(9, timedelta(minutes=20))], 0),
        ([(10, timedelta(hours=2))], 0),
        ([(40, timedelta(minutes=5)), (240, timedelta(hours=12))], 40),
        ([(39, timedelta(minutes=5)), (240, timedelta(hours=12))], 0),
        ([(10, timedelta(minutes=5)), (1_000, timedelta(hours=26))], 10),
    ],
)
def test_a_spike_is_many_within_the_window_and_many_times_the_usual(
    times: list[tuple[int, timedelta]], count: int
) -> None:
    assert found(rows(*times)) == ([("content-type", count)] if count else [])


def test_each_kind_is_its_own() -> None:
    given = rows((9, timedelta(minutes=5)))
    for _ in range(9):
        counted(refused("not-found"), NOW, given)
    assert found(given) == []
    counted(refused("not-found"), NOW, given)
    assert found(given) == [("not-found", 10)]


def test_what_is_told_says_how_many_of_what_and_against_what() -> None:
    (spike,) = spikes(rows((30, timedelta(0)), (24, timedelta(hours=5))).table(REJECTIONS), SETTINGS, NOW)
    assert spike.told() == "30 looks refused (fetch: content-type) within 1:00:00, usually 1.0"


def test_old_counts_go_and_the_rows_stay_small() -> None:
    given = Rows()
    for slot in range(3 * KEPT_S // SLOT_S):
        counted(refused(), NOW + timedelta(seconds=slot * SLOT_S), given)
    (row,) = given.table(REJECTIONS).values()
    assert len(row["counts"]) <= KEPT_S // SLOT_S + 1


def test_the_schedule_counts_every_refusal_once_and_a_late_one_never() -> None:
    given, fold = Rows(), Dispatch(3_600)
    for number, at in enumerate((0, 60, 60, 30), 1):
        moment = NOW + timedelta(seconds=at)
        name = b"\1" * 10 if at == 60 else number.to_bytes(10, "big")
        fact = Fact(id=observation_id(int(moment.timestamp() * 1000), name), source="t", time=moment, data=refused())
        fold.apply(Stored(sequence=number, stored_at=moment, fact=fact), given)
    (row,) = given.table(REJECTIONS).values()
    assert sum(row["counts"].values()) == 2
