"""A registry is one more untrusted party: whatever stands in the place of whatever member, a page is read or refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.fetcher.candidate import Listing, Page, PageRequest
from cardtrail.services.fetcher.sources import SOURCES

CARD, CATALOG = "application/a2a-agent-card+json", "application/ai-catalog+json"
URL = "https://rates.nordwind.test/card.json"
RECORD = {
    "id": "r",
    "hidden": False,
    "wellKnownURI": URL,
    "is_healthy": True,
    "skills": [{"tags": ["fx"]}],
    "author": "N",
}
ITEM = {"id": "i", "url": URL, "card": None, "status": "pending", "tenant": "eu", "tags": ["fx"], "owner": "N"}
TRUST = {"subject": {"digest": "sha256:d"}}
ENTRY = {"identifier": "urn:e", "type": CARD, "url": URL, "publisher": {"identifier": "N"}, "trustManifest": TRUST}
NESTED = {"identifier": "urn:n", "type": CATALOG, "data": {"specVersion": "1.0", "entries": [ENTRY]}}
SERVICE = {
    "name": "a",
    "registrationType": "SERVICE",
    "supportedInterfaces": [{"url": URL}],
    "skills": [{"tags": ["fx"]}],
}
PAGES: list[tuple[str, str, Any]] = [
    ("a2a-registry", "https://r.test/agents?limit=100&offset=0", {"agents": [RECORD], "total": 1}),
    ("plain-list", "https://r.test/list.json", [ITEM, {**ITEM, "status": "approved"}, URL]),
    ("ai-catalog", "https://r.test/c.json", {"specVersion": "1.0", "entries": [ENTRY, NESTED], "pageToken": "p"}),
    ("nacos", "https://r.test/v3/admin/ai/a2a?agentName=a", {"code": 0, "data": SERVICE}),
    (
        "nacos",
        "https://r.test/v3/admin/ai/a2a/list?pageNo=1",
        {"code": 0, "data": {"pageItems": [{"name": "a"}], "pagesAvailable": 2, "totalCount": 1}},
    ),
]
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for name, inner in inside for place in places(inner, (*at, name)))]


def put(value: Any, at: tuple[Any, ...], given_: Any) -> Any:
    """A copy with another value at a place."""
    if not at:
        return given_
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = put(value[at[0]], at[1:], given_)
    return copy


@pytest.mark.parametrize(
    ("source", "url", "page"), PAGES, ids=[f"{page[0]}-{number}" for number, page in enumerate(PAGES)]
)
@given(data=st.data())
def test_no_member_of_a_page_can_break_its_reader(source: str, url: str, page: Any, data: st.DataObject) -> None:
    hostile = put(page, data.draw(st.sampled_from(places(page))), data.draw(ANYTHING))
    body = json.dumps(hostile, ensure_ascii=True).encode()
    assert isinstance(SOURCES[source].read(Page(request=PageRequest(url=url), data=body)), Listing)
