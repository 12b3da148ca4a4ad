"""The operator's own list: every form of item, and every slip refused by name."""

from typing import Any

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.fetcher.sources import SOURCES, source_of
from cardtrail.services.registry_place import KINDS
from tests.services.fetcher.sources.recorded import HTML, Registry, ids, reasons

SOURCE = SOURCES["plain-list"]
PLACE = "/etc/agents.json"
URL = "https://fx.nordwind.test/.well-known/agent-card.json"


def listed(*entries: Any) -> Any:
    return Registry({PLACE: {"entries": list(entries)}}).walk(SOURCE, PLACE)


@pytest.mark.parametrize("wrap", [list, lambda entries: {"entries": entries, "note": "ours"}])
def test_a_list_is_an_array_or_an_object_with_entries(wrap: Any) -> None:
    found = Registry({PLACE: wrap([URL])}).walk(SOURCE, PLACE)
    assert [(one.registry_id, one.card_url) for one in found.candidates] == [(URL, URL)]
    assert found.complete


def test_an_item_carries_what_it_states_and_absent_is_not_empty() -> None:
    stated = {"url": URL, "id": "hr-a", "tags": ["leave"], "owner": "hr", "tenant": "eu", "status": "approved", "x": 1}
    found = listed(stated, {"id": "emb", "card": {"name": "A"}, "tags": []})
    first, second = found.candidates
    assert (first.registry_id, first.tags, first.owner, first.tenant) == ("hr-a", ("leave",), "hr", "eu")
    assert (second.card_document, second.card_url, second.tags, second.owner) == ('{"name":"A"}', None, (), None)
    assert first.metadata()["tags"] == "leave"
    assert "owner" not in second.metadata()


def test_one_agent_for_two_tenants_is_two_candidates() -> None:
    found = listed({"url": URL, "tenant": "eu"}, {"url": URL, "tenant": "us"})
    assert [one.tenant for one in found.candidates] == ["eu", "us"]
    assert found.complete


def test_what_is_not_approved_is_skipped_in_sight_and_stays_listed() -> None:
    found = listed(URL, {"url": "https://b.test", "status": "blocked"}, {"url": "https://c.test", "status": "pending"})
    assert ids(found) == [URL]
    assert reasons(found) == {"https://b.test": "not-approved", "https://c.test": "not-approved"}
    assert len(found.listed) == 3
    assert found.complete


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("agents/fx.json", "url-not-absolute"),
        ("", "no-identifier"),
        ({"url": URL, "card": {}}, "url-or-data"),
        ({"id": "x"}, "url-or-data"),
        ({"card": {}}, "no-identifier"),
        ({"id": "x", "card": "text"}, "data-not-an-object"),
        ({"url": URL, "status": "aproved"}, "status-unknown"),
        ("https://good.test", "repeated-item"),
        (5, "not-an-item"),
        (None, "not-an-item"),
    ],
)
def test_any_slip_spoils_the_list_and_is_named(item: Any, reason: str) -> None:
    found = listed("https://good.test", item)
    assert not found.complete
    assert found.problem.startswith("broken-item")
    assert reason in found.problem
    assert reason in reasons(found).values()


@pytest.mark.parametrize("answer", [(200, HTML), (200, {"agents": []}), (200, b'{"entries": [], "entries": [1]}'), 404])
def test_what_is_no_list_is_a_problem(answer: Any) -> None:
    assert not Registry({PLACE: answer}).walk(SOURCE, PLACE).complete


def test_a_registry_setting_names_its_adapter_and_a_bare_place_is_a_plain_list() -> None:
    assert source_of("ai-catalog:https://nordwind.test") == (SOURCES["ai-catalog"], "https://nordwind.test")
    assert source_of(PLACE) == (SOURCE, PLACE)
    assert source_of("https://nordwind.test/list.json") == (SOURCE, "https://nordwind.test/list.json")
    with pytest.raises(UsageError, match="ai-catalogue"):
        source_of("ai-catalogue:https://nordwind.test")


def test_every_kind_that_a_setting_may_name_has_its_adapter() -> None:
    assert set(SOURCES) == set(KINDS)
