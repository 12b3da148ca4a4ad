"""`history` for people: each line says by which numbers other commands take its facts, and fits a terminal."""

from datetime import UTC, datetime

import pytest

from cardtrail.services.cli.live.history_text import entry_line, lines
from cardtrail.services.cli.outputs.history import HistoryEntry, HistoryFact, HistoryOutput
from cardtrail.services.cli.shell.console import Style

NOW = datetime(2026, 12, 1, tzinfo=UTC)
AT = "2026-11-30T08:00:00.000Z"


def entry(*sequences: int, at: str = AT) -> HistoryEntry:
    facts = tuple(HistoryFact(sequence=one, stored_at=at, fact={}) for one in sequences)
    return HistoryEntry(at=at, principal="public", what="card", text="3.2.0, changed: streaming", facts=facts)


@pytest.mark.parametrize(
    ("sequences", "shown"),
    [((4711,), "4711"), ((4, 5, 6), "4-6"), ((4, 6, 7), "4,6-7"), ((1, 3, 5, 7, 9), "1,3,…,9")],
)
def test_a_line_shows_the_numbers_of_its_facts_to_people_and_to_programs(
    sequences: tuple[int, ...], shown: str
) -> None:
    assert f"  {shown}  card " in entry_line(entry(*sequences), Style(columns=80), NOW)
    assert entry_line(entry(*sequences), Style(), NOW).split("\t")[-1] == shown


def told(*entries: HistoryEntry, as_of: str | None = None, through: int = 99) -> HistoryOutput:
    return HistoryOutput(
        format="cardtrail.history/1",
        agent="pricing",
        names=(),
        since=None,
        as_of=as_of,
        through=through,
        known_from=1,
        facts=4,
        folded=0,
        unreadable=(),
        entries=entries,
    )


@pytest.mark.parametrize(
    ("instants", "hint"),
    [
        (["2026-11-28T08:00:00.000Z", AT], "Earlier knowledge: --as-of 2026-11-30T00:00Z"),
        (["2026-11-30T07:00:01.500Z", AT], "Earlier knowledge: --as-of 2026-11-30T07:00:01Z"),
        ([AT], "4 of 4 facts"),
    ],
)
def test_an_earlier_instant_that_is_named_is_one_at_which_something_was_known(instants: list[str], hint: str) -> None:
    (*_, last) = lines(told(*(entry(place, at=at) for place, at in enumerate(instants, 1))), Style(), NOW)
    assert last.endswith(hint)


def test_an_instant_before_the_first_fact_is_said_to_be_one() -> None:
    first, *_ = lines(told(as_of=AT, through=0), Style(), NOW)
    assert first == "as known at 2026-11-30T08:00:00Z, before the first fact"


def test_the_numbers_stand_in_one_column() -> None:
    first, second, _ = lines(told(entry(4), entry(97, 98, 99)), Style(columns=80), NOW)
    assert first.index("card") == second.index("card")
    assert max(map(len, (first, second))) <= 80


def test_a_long_line_goes_on_under_its_text_and_nothing_of_it_is_lost() -> None:
    words = "3.2.0 → 4.0.0, changed: 6 capabilities; decision ✗ breaking, trip-planner, stop (signature-required, card-flapping)"
    long = entry(1234567, 1234568, 1234569).model_copy(update={"text": words})
    parts = entry_line(long, Style(columns=80), NOW).split("\n")
    assert len(parts) > 1
    assert max(map(len, parts)) <= 80
    assert " ".join(line.strip() for line in parts).endswith(words)
    assert "\n" not in entry_line(long, Style(), NOW)
    for columns in range(70, 140):
        assert not any(line.endswith("✗") for line in entry_line(long, Style(columns=columns), NOW).split("\n"))
