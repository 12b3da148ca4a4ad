"""The public registry's API: paging that shifts under the reader, records that are no cards."""

from typing import Any

import pytest

from cardtrail.services.fetcher.sources import SOURCES
from tests.services.fetcher.sources.recorded import HTML, Registry, ids, reasons

BASE = "https://registry.test/api"
SOURCE = SOURCES["a2a-registry"]


def record(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.title(),
        "author": "Nordwind",
        "wellKnownURI": f"https://{name}.nordwind.test/.well-known/agent-card.json",
        "url": f"https://{name}.nordwind.test/a2a",
        "version": "1.4.0",
        "skills": [{"id": "fx", "tags": ["fx", "money"]}, {"id": "x", "tags": ["fx"]}],
        "security": [],
        "conformance": None,
        "hidden": False,
        "updated_at": "2026-09-01T10:00:00Z",
        "is_healthy": True,
    } | changes


def page(offset: int) -> str:
    return f"{BASE}/agents?limit=100&offset={offset}"


def answer(*records: Any, total: Any = None) -> dict[str, Any]:
    return {"agents": list(records), "total": len(records) if total is None else total, "limit": 100, "offset": 0}


def test_a_record_points_to_its_card_and_never_stands_for_it() -> None:
    found = Registry({page(0): answer(record("rates"))}).walk(SOURCE, BASE + "/")
    (candidate,) = found.candidates
    assert candidate.card_url == "https://rates.nordwind.test/.well-known/agent-card.json"
    assert candidate.card_document is None
    assert (candidate.owner, candidate.status, candidate.tags) == ("Nordwind", "healthy", ("fx", "money"))
    assert candidate.tenant is None
    assert found.complete


def test_pages_that_overlap_and_a_limit_that_was_cut_give_every_agent_once() -> None:
    pages = {
        page(0): answer(record("a"), record("b"), total=4),
        page(2): answer(record("b"), record("c"), total=4),
    }
    registry = Registry(pages)
    found = registry.walk(SOURCE, BASE)
    assert ids(found) == ["a", "b", "c"]
    assert registry.asked == [page(0), page(2)]


def test_an_order_that_changed_between_pages_hides_an_agent_and_so_the_walk_is_not_complete() -> None:
    pages = {page(0): answer(record("a"), record("b"), total=4), page(2): answer(record("b"), record("c"), total=4)}
    assert Registry(pages).walk(SOURCE, BASE).problem == "total-differs"


def test_entries_that_come_and_go_between_pages_leave_a_walk_complete() -> None:
    more = {page(0): answer(record("a"), record("b"), total=3), page(2): answer(record("c"), record("d"), total=4)}
    fewer = {page(0): answer(record("a"), record("b"), total=4), page(2): answer(record("d"), total=3)}
    assert Registry(more).walk(SOURCE, BASE).complete
    assert Registry(fewer).walk(SOURCE, BASE).complete


def test_an_empty_page_ends_the_walk_and_a_total_above_it_leaves_it_incomplete() -> None:
    registry = Registry({page(0): answer(record("a"), total=1000), page(1): answer(total=1000)})
    assert registry.walk(SOURCE, BASE).problem == "total-differs"
    assert registry.asked == [page(0), page(1)]
    assert Registry({page(0): answer()}).walk(SOURCE, BASE).complete


@pytest.mark.parametrize("last", [500, 401, 429, (200, HTML), (200, {"detail": "x"}), (200, {"agents": 5}), "timeout"])
def test_half_a_walk_keeps_what_it_has_and_is_not_complete(last: Any) -> None:
    found = Registry({page(0): answer(record("a"), total=2), page(1): last}).walk(SOURCE, BASE)
    assert ids(found) == ["a"]
    assert not found.complete
    assert found.problem


def test_broken_and_hidden_records_are_refused_one_by_one() -> None:
    found = Registry(
        {
            page(0): answer(
                record("good", is_healthy=None, skills={"odd": 1}),
                record("hid", hidden=True),
                record("rel", wellKnownURI="/card"),
                record("num", wellKnownURI=5),
                record("js", wellKnownURI="javascript:alert(1)"),
                {"name": "nameless"},
                "text",
                total="many",
            ),
            page(7): answer(total=0),
        }
    ).walk(SOURCE, BASE)
    assert ids(found) == ["good"]
    assert (found.candidates[0].status, found.candidates[0].tags) == (None, ())
    assert reasons(found) == {
        "hid": "hidden",
        "rel": "url-not-absolute",
        "num": "url-not-absolute",
        "js": "url-not-absolute",
        "#5": "no-identifier",
        "#6": "no-identifier",
    }


def test_private_and_cleartext_places_pass_here_and_are_judged_at_the_door() -> None:
    found = Registry({page(0): answer(record("p", wellKnownURI="http://10.0.0.5/card"))}).walk(SOURCE, BASE)
    assert found.candidates[0].card_url == "http://10.0.0.5/card"
