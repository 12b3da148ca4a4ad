import contextlib
from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest
from hypothesis import given as law
from hypothesis import strategies as st

from cardtrail.events.errors import UsageError
from cardtrail.services.web.asked import Asked, asked
from cardtrail.services.web.marks import marked
from cardtrail.services.web.views.scale import Scale, chosen
from cardtrail.services.web.views.spans import spans
from cardtrail.services.web.views.timeline import picture, timeline
from tests.projections.facts import compiled, full, profile
from tests.projections.log import START, Log
from tests.services.web.scene import NOW, at, past, rows, story


def test_a_value_has_two_ends_and_a_window_and_the_facts_that_bound_it() -> None:
    found = spans(rows(story().facts), "public", "pricing")
    held = {(span.capability, span.value): span for span in found if isinstance(span.value, bool)}
    was, now = held["streaming", True], held["streaming", False]
    assert (was.first_seen, was.last_seen, was.ended_by) == (
        "2026-11-30T08:00:02.000Z",
        "2026-11-30T08:00:06.000Z",
        "2026-11-30T08:00:07.000Z",
    )
    assert (was.opened_from, was.ending, was.opened, was.closed) == (None, "changed", 2, 7)
    assert (now.opened_from, now.ended_by, now.opened) == ("2026-11-30T08:00:02.000Z", None, 7)
    assert held["push", False].ended_by is None


def test_the_picture_hatches_the_window_and_leaves_the_rest_quiet() -> None:
    _, lanes, marks = picture(timeline(past(story().facts), Asked("/"), NOW))
    by_name = {lane.capability: lane for lane in lanes}
    streaming = by_name["streaming"]
    assert [bar.kind for bar in streaming.bars] == ["on", "unsure", "off", "assumed"]
    first, window, second, _ = streaming.bars
    assert window.x == pytest.approx(first.x + first.width, abs=0.3)
    assert window.x + window.width == pytest.approx(second.x, abs=0.01)
    assert not streaming.quiet
    assert by_name["push"].quiet
    assert "yes from" in streaming.summary
    assert {lane.name for lane in marks} == {"looks", "decisions", "people"}
    assert [dot.tone for lane in marks for dot in lane.dots if lane.name == "decisions"] == ["ok", "breaking"]


def test_what_is_not_known_is_drawn_as_unknown() -> None:
    log = Log()
    compiled(log, full(log, "a"), profile())
    log.say("card-refused", stage="parse", reason="not-json")
    log.say("card-refused", stage="parse", reason="not-json")
    compiled(log, full(log, "b"), profile(streaming=False))
    _, lanes, _ = picture(timeline(past(log.facts), Asked("/"), at(10)))
    kinds = [bar.kind for lane in lanes if lane.capability == "streaming" for bar in lane.bars]
    assert kinds == ["on", "unsure", "unknown", "off", "assumed"]


def test_it_starts_with_what_every_call_meets_and_ends_with_who_the_agent_says_it_is() -> None:
    found = timeline(past(story().facts), Asked("/"), NOW).spans
    assert (found[0].capability, found[0].value) == ("usable", True)
    assert found[-1].capability in {"signer", "signature", "provider", "version", "name"}


def test_a_range_leaves_out_what_does_not_touch_it() -> None:
    log = story()
    early = timeline(past(log.facts), asked("/", "from=2026-11-30T08:00:00Z&until=2026-11-30T08:00:05Z"), NOW)
    assert not [span for span in early.spans if span.value is False and span.capability == "streaming"]
    assert {mark.sequence for mark in early.marks} == {2, 4, 5}
    with pytest.raises(UsageError):
        timeline(past(log.facts), asked("/", "from=later"), NOW)


@law(st.integers(min_value=1, max_value=10**9), st.integers(min_value=0, max_value=10**6))
def test_ticks_are_few_ordered_and_inside(length: int, start: int) -> None:
    scale = Scale(START + timedelta(seconds=start), START + timedelta(seconds=start + length))
    found = scale.ticks()
    assert len(found) <= 7
    assert [tick.x for tick in found] == sorted(tick.x for tick in found)
    assert all(0 <= tick.x <= 100 and tick.text for tick in found)


@law(st.text(max_size=8) | st.from_regex(r"[0-9]{1,6}[smhd]", fullmatch=True), st.datetimes().map(str))
def test_any_range_gives_a_stretch_that_can_be_drawn_or_is_refused(length: str, until: str) -> None:
    with contextlib.suppress(UsageError):
        scale = chosen(asked("/", urlencode({"range": length, "until": until})), START, NOW)
        assert scale.end > scale.start
        assert len(scale.ticks()) <= 7


TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2261, 12, 31, 23, 59, 59, 999_999)).map(str)


@law(TIMES, TIMES)
def test_any_two_instants_give_a_stretch_that_can_be_drawn(start: str, end: str) -> None:
    scale = chosen(Asked("/", (("from", start), ("until", end))), START, NOW)
    assert scale.end > scale.start
    assert len(scale.ticks()) <= 7


def test_the_first_and_the_last_instant_there_are_can_be_asked_for() -> None:
    first, last = "1970-01-01", "2261-12-31"
    for start, end in ((first, first), (first, last), (last, first)):
        assert len(chosen(Asked("/", (("from", start), ("until", end))), START, NOW).ticks()) <= 7


@law(st.lists(st.sampled_from("abr"), max_size=12))
def test_every_bar_lies_within_the_picture_whatever_happens(course: list[str]) -> None:
    log = Log()
    for step in course:
        if step == "r":
            log.say("card-refused", stage="parse", reason="not-json")
        else:
            compiled(log, full(log, step), profile(streaming=step == "a"))
    _, lanes, _ = picture(timeline(past(log.facts), Asked("/"), at(20)))
    for lane in lanes:
        ends = [(bar.x, bar.x + bar.width) for bar in lane.bars]
        assert all(x >= 0 and end <= 100.01 for x, end in ends)


def test_a_size_is_written_as_the_commands_write_it() -> None:
    (mark,) = marked(full(Log(), "sha256:a", size=1678))
    assert mark.what.endswith(", 1,678 bytes")
