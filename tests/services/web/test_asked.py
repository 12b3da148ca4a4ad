from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from hypothesis import given as law
from hypothesis import strategies as st

from cardtrail.events.errors import UsageError
from cardtrail.services.web.address import agent_path, named
from cardtrail.services.web.asked import NAMES, asked, moment


def test_a_view_is_its_address_and_links_keep_principal_and_time() -> None:
    found = asked("/agents/pricing", "principal=travel-desk&at=2026-11-29T08:00Z&range=7d&evil=1")
    assert found.principal == "travel-desk"
    assert found.at == datetime(2026, 11, 29, 8, tzinfo=UTC)
    assert found.to("/rules") == "/rules?principal=travel-desk&at=2026-11-29T08:00Z"
    assert found.here(at=None) == "/agents/pricing?principal=travel-desk&range=7d"
    assert "evil" not in found.here()


def test_a_filter_is_put_on_taken_off_and_leads_back_to_the_first_page() -> None:
    found = asked("/", "verdict=breaking&page=3")
    assert found.toggled("verdict", "review") == "/?verdict=breaking&verdict=review"
    assert found.toggled("verdict", "breaking") == "/"
    assert found.form(".json") == "/fleet.json?verdict=breaking&page=3"


NO_TIMES = (
    *("0001-01-01", "0001-01-01T00:00:05Z", "0001-01-01T00:00:00+14:00", "1969-12-31T23:59:59Z", "2262-01-01"),
    *("9999-12-31", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-23:59", "now", "1e9", "-1", "2026-02-30"),
    *("9" * 1_900, "\u0663", "\u202e"),
)
NO_NUMBERS = ("0", "-1", "1.0", "1e3", "9" * 1_900, "\u0663", "\u00b2", "one", "0x1", "1_0", "\u202e")
NO_RANGES = ("7", "d", "-7d", "7y", "9" * 1_900 + "d", "99999999999d", "36501d", "P7D")


@pytest.mark.parametrize(
    ("names", "values"),
    [(("at", "from", "until", "left", "right"), NO_TIMES), (("page",), NO_NUMBERS), (("range",), NO_RANGES)],
)
def test_a_time_range_or_number_that_can_mean_nothing_is_refused_whatever_the_view(
    names: tuple[str, ...], values: tuple[str, ...]
) -> None:
    for query in (f"{name}={quote(value)}" for name in names for value in values):
        with pytest.raises(UsageError) as refused:
            asked("/", query)
        assert refused.value.code == "query-invalid", query


@pytest.mark.parametrize(
    "query", ["at=yesterday", "at=2026-13-01", "at=1", "q=" + "x" * 2_001, "&".join(["q=1"] * 101)]
)
def test_what_means_nothing_is_refused_with_a_reason(query: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked("/", query)
    assert refused.value.code == "query-invalid"


def test_a_time_without_an_offset_is_utc() -> None:
    assert moment("2026-11-29T08:00") == moment("2026-11-29T08:00Z") == moment("2026-11-29T10:00+02:00")


@law(st.text())
def test_whatever_is_asked_for_links_back_to_itself(text: str) -> None:
    try:
        found = asked("/", f"q={text}")
    except UsageError:
        return
    link = urlsplit(found.here())
    assert link.netloc == ""
    again = asked("/", link.query)
    assert again.one("q") == found.one("q")
    assert {name for name, _ in parse_qsl(link.query)} <= NAMES


@law(st.text())
def test_any_agent_name_is_one_segment_of_a_path_and_comes_back(name: str) -> None:
    path = agent_path(name)
    segment = path.removeprefix("/agents/")
    assert not {"/", ".", "?", "#", "%"} & set(segment)
    assert named(segment, ["other", name]) == name
