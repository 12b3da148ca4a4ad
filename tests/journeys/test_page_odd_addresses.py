"""Whatever instant or number an address says, the page answers: what there is, or a 400 with words in the form asked for."""

from urllib.parse import quote

import pytest

from cardtrail.services.web.routes import VIEWS
from tests.journeys.page_stage import Got, PageStage
from tests.services.web.test_asked import NO_NUMBERS, NO_RANGES, NO_TIMES

KINDS = {"": "text/html", ".json": "application/json", ".csv": "text/plain", ".txt": "text/plain", ".live": "text/html"}
MEANT = {"at": NO_TIMES, "from": NO_TIMES, "until": NO_TIMES, "left": NO_TIMES, "right": NO_TIMES}
QUERIES = [
    f"{name}={quote(value)}"
    for name, values in (MEANT | {"range": NO_RANGES, "page": NO_NUMBERS}).items()
    for value in values
]
EDGES = ("1970-01-01", "1970-01-01T00:00:00+00:00", "2261-12-31T23:59:59.999999Z", "2026-11-30T08:00:00+14:00")


def places(site: PageStage) -> list[str]:
    """Every view at an address that is there."""
    rule = site.get("/rules.json").json["rules"][0]["id"]
    named = {
        "{agent}": "pricing",
        "{sequence}": "1",
        "/decisions/{id}": site.decision("trip"),
        "/rules/{id}": f"/rules/{rule}",
    }
    found = []
    for path in VIEWS:
        for part, value in named.items():
            path = path.replace(part, value)  # noqa: PLW2901 — one part after the other
        found.append(path)
    return found


def refused(got: Got, form: str) -> bool:
    kind = got.headers["content-type"].partition(";")[0]
    return (got.status, kind) == (400, KINDS[form]) and "query-invalid" in got.text


def test_every_view_in_every_form_refuses_every_time_and_number_that_means_nothing(site: PageStage) -> None:
    asked = [
        (f"{path}{form}?{query}", form)
        for path in places(site)
        for form in KINDS
        for query in QUERIES[:: 1 if form == ".json" else 9]
    ]
    assert [path for path, form in asked if not refused(site.get(path), form)] == []
    assert refused(site.get("/?at=0001-01-01"), "")


@pytest.mark.parametrize("form", ["", ".json", ".csv", ".txt"])
@pytest.mark.parametrize("rest", ["", "/card"])
def test_a_fact_whose_number_means_nothing_is_refused_in_the_form_that_was_asked_for(
    site: PageStage, form: str, rest: str
) -> None:
    for number in (*NO_NUMBERS, "9" * 5_000):
        assert refused(site.get(f"/facts/{quote(number)}{rest}{form}"), form), number
    for number in ("999999999", "9" * 20, str(1 << 64)):
        assert site.get(f"/facts/{number}{rest}{form}").status == 404


def test_every_view_answers_at_the_first_and_the_last_instant_there_are(site: PageStage) -> None:
    odd = [
        f"{path}{form}?{name}={quote(value)}"
        for path in places(site)
        for form in ("", ".json")
        for name in MEANT
        for value in EDGES
    ]
    both = [f"/agents/pricing/timeline.csv?from={one}&until={other}" for one in EDGES[:3] for other in EDGES[:3]]
    answers = {path: site.get(path.replace("+", "%2B")).status for path in (*odd, *both)}
    assert {path: status for path, status in answers.items() if status not in {200, 404}} == {}


def test_what_is_not_there_says_so_in_the_form_that_was_asked_for(site: PageStage) -> None:
    for form in ("", ".json", ".csv"):
        got = site.get(f"/nowhere{form}")
        assert (got.status, got.headers["content-type"].partition(";")[0]) == (404, KINDS[form])
        assert "page-unknown" in got.text
