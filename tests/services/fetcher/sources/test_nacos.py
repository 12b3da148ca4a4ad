"""Nacos: error codes under HTTP 200, cards written anew, and interfaces in a random order."""

import json
from typing import Any

import pytest

from cardtrail.services.card.document import LIMITS
from cardtrail.services.fetcher.sources import SOURCES
from tests.services.fetcher.sources.recorded import HTML, Registry, ids, reasons

BASE = "https://nacos.test:8848/nacos"
SOURCE = SOURCES["nacos"]
GOOD: dict[str, Any] = {"code": 0, "message": "success"}


def names(number: int, namespace: str = "public") -> str:
    query = f"namespaceId={namespace}&search=blur&agentName=&pageNo={number}&pageSize=100"
    return f"{BASE}/v3/admin/ai/a2a/list?{query}"


def one(name: str, namespace: str = "public") -> str:
    return f"{BASE}/v3/admin/ai/a2a?namespaceId={namespace}&agentName={name}"


def listing(*found: str, pages: int = 1) -> dict[str, Any]:
    entries = [{"name": name, "version": "1.4.0"} for name in found]
    return GOOD | {"data": {"totalCount": len(found), "pagesAvailable": pages, "pageItems": entries}}


def interface(url: str) -> dict[str, str]:
    return {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}


def card(*urls: str, kind: str = "URL", **changes: Any) -> dict[str, Any]:
    made = {"name": "rates", "version": "1.4.0", "skills": [{"id": "fx", "tags": ["fx"]}], "registrationType": kind}
    made |= {
        "supportedInterfaces": [interface(url) for url in urls],
        "url": urls[0] if urls else "",
        "protocolVersion": "1.0",
    }
    return GOOD | {"data": made | changes}


def test_names_are_listed_page_by_page_and_each_card_is_asked_for() -> None:
    registry = Registry(
        {
            names(1): listing("rates", pages=2),
            names(2): listing("rates", "fx desk", pages=2),
            one("rates"): card("https://a.test", latestVersion="1.5.0"),
            one("fx+desk"): card("https://b.test"),
        }
    )
    found = registry.walk(SOURCE, BASE)
    assert ids(found) == ["rates", "fx desk"]
    assert registry.asked.count(one("rates")) == 1
    first = found.candidates[0]
    assert (first.tenant, first.registry_version, first.tags) == ("public", "1.5.0", ("fx",))
    document = json.loads(first.card_document or "")
    assert "registrationType" not in document
    assert document["url"] == "https://a.test"
    assert found.complete


def test_a_namespace_in_the_base_is_asked_for_and_becomes_the_tenant() -> None:
    registry = Registry({names(1, "dev"): listing("rates"), one("rates", "dev"): card("https://a.test")})
    assert registry.walk(SOURCE, BASE + "/?namespaceId=dev").candidates[0].tenant == "dev"


def test_two_reads_of_a_service_agent_give_one_document_whatever_instance_was_picked() -> None:
    def read(*urls: str) -> str | None:
        picked = card(*urls, kind="SERVICE", preferredTransport="JSONRPC")
        return (
            Registry({names(1): listing("rates"), one("rates"): picked}).walk(SOURCE, BASE).candidates[0].card_document
        )

    assert read("https://a.test", "https://b.test") == read("https://b.test", "https://a.test")
    assert read("https://a.test") != read("https://c.test")


def test_an_agent_without_a_latest_version_is_refused_and_stays_listed() -> None:
    registry = Registry({names(1): listing("rates", "old"), one("rates"): card("https://a.test"), one("old"): 404})
    found = registry.walk(SOURCE, BASE)
    assert ids(found) == ["rates"]
    assert reasons(found) == {"old": "not-found"}
    assert set(found.listed) == {"rates", "old"}
    assert found.complete


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"code": 20002, "message": "parameter validate error", "data": "x"}, "code-not-0"),
        (403, "forbidden"),
        (500, "unavailable"),
        ((200, HTML), "a-page-not-json"),
        ({"code": 0, "data": []}, "not-a-listing"),
        ((200, b"7"), "not-a-listing"),
    ],
)
def test_a_listing_that_fails_is_unknown_not_empty(answer: Any, problem: str) -> None:
    found = Registry({names(1): answer}).walk(SOURCE, BASE)
    assert (found.complete, found.problem) == (False, problem)


def test_an_outage_in_the_middle_of_the_cards_makes_the_walk_incomplete() -> None:
    found = Registry({names(1): listing("a", "b"), one("a"): card("https://a.test"), one("b"): 503}).walk(SOURCE, BASE)
    assert (ids(found), found.complete, found.problem) == (["a"], False, "unavailable")


def test_hostile_entries_are_refused_without_a_fall() -> None:
    data = {"pageItems": [{"name": 5}, "x", None, {"name": "ok"}], "pagesAvailable": 1}
    found = Registry({names(1): GOOD | {"data": data}, one("ok"): GOOD | {"data": {"skills": [1, {"tags": 3}]}}}).walk(
        SOURCE, BASE
    )
    assert ids(found) == ["ok"]
    assert set(reasons(found).values()) == {"no-identifier"}


def test_a_total_that_was_not_met_makes_the_walk_incomplete() -> None:
    stated = listing("rates")
    stated["data"]["totalCount"] = 100_000
    found = Registry({names(1): stated, one("rates"): card("https://a.test")}).walk(SOURCE, BASE)
    assert (ids(found), found.complete, found.problem) == (["rates"], False, "total-differs")


def test_a_server_that_gives_the_first_page_whatever_is_asked_for_is_not_read_as_a_whole_list() -> None:
    again = listing("rates", pages=2)
    again["data"]["totalCount"] = 2
    registry = Registry({names(1): again, names(2): again, one("rates"): card("https://a.test")})
    assert registry.walk(SOURCE, BASE).problem == "total-differs"


@pytest.mark.parametrize(
    "members", [{"pagesAvailable": "9"}, {"pagesAvailable": 1e300}, {"pagesAvailable": True}, {"pageItems": {"a": 1}}]
)
def test_pages_that_cannot_be_counted_are_no_listing(members: dict[str, Any]) -> None:
    stated = listing("rates")
    stated["data"] |= members
    assert Registry({names(1): stated}).walk(SOURCE, BASE).problem == "not-a-listing"


def test_entries_with_a_page_of_their_own_are_bounded_as_entries_and_not_as_pages() -> None:
    found = tuple(f"a{number}" for number in range(30))
    registry = Registry({names(1): listing(*found), **{one(name): card("https://a.test") for name in found}})
    assert registry.walk(SOURCE, BASE, max_pages=1).complete
    few = registry.walk(SOURCE, BASE, max_candidates=10)
    assert (few.complete, few.problem, len(few.candidates)) == (False, "too-many-entries", 10)


def test_a_card_over_the_cap_is_refused_at_once_and_stays_listed() -> None:
    huge = card("https://a.test", description="x" * LIMITS.size)
    found = Registry({names(1): listing("big", "rates"), one("big"): huge, one("rates"): card("https://a.test")}).walk(
        SOURCE, BASE
    )
    assert (ids(found), reasons(found), found.complete) == (["rates"], {"big": "document-too-large"}, True)
