"""Where a card may lie, and in which order it is looked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.agent_tracked import Target
from cardtrail.services.fetcher.locate import Place, counterpart, places, target_of

NEW, OLD = "/.well-known/agent-card.json", "/.well-known/agent.json"


def urls(kind: str, value: str, *, legacy_path: bool = True) -> list[str]:
    return [
        place.url for place in places(Target.model_validate({"kind": kind, "value": value}), legacy_path=legacy_path)
    ]


def test_a_domain_is_asked_at_the_well_known_path_and_then_under_its_old_name() -> None:
    assert urls("domain", "agent.example:8443") == [
        f"https://agent.example:8443{NEW}",
        f"https://agent.example:8443{OLD}",
    ]
    assert urls("domain", "agent.example", legacy_path=False) == [f"https://agent.example{NEW}"]


def test_a_base_url_is_asked_from_its_whole_path_up_to_the_origin() -> None:
    origin = "https://h.example"
    assert urls("base-url", f"{origin}/t/42/?x=1#y") == [
        f"{origin}/t/42{NEW}",
        f"{origin}/t{NEW}",
        f"{origin}{NEW}",
        f"{origin}/t/42{OLD}",
        f"{origin}/t{OLD}",
        f"{origin}{OLD}",
    ]
    assert urls("base-url", "h.example/a", legacy_path=False) == [f"{origin}/a{NEW}", f"{origin}{NEW}"]


def test_a_card_url_is_used_as_given_and_nothing_else_is_asked() -> None:
    assert urls("card-url", "https://h.example/agentCard/v1.0") == ["https://h.example/agentCard/v1.0"]
    assert urls("card-url", f"https://h.example/x{NEW}") == [f"https://h.example/x{NEW}"]
    assert urls("base-url", f"https://h.example{NEW}") == [f"https://h.example{NEW}"]


@pytest.mark.parametrize("kind", ["file", "document", "registry"])
def test_what_needs_no_network_has_no_place_on_it(kind: str) -> None:
    assert urls(kind, "whatever.json") == []


def test_a_deep_path_does_not_make_many_requests() -> None:
    assert len(urls("base-url", "https://h.example/" + "a/" * 500)) == 14


def test_places_know_that_they_are_legacy_or_nested() -> None:
    found = places(Target(kind="base-url", value="https://h.example/t"))
    assert [(place.is_legacy, place.is_nested) for place in found] == [
        (False, True),
        (False, False),
        (True, True),
        (True, False),
    ]
    assert [counterpart(counterpart(place)) for place in found] == list(found)
    assert counterpart(found[1]) == Place(f"https://h.example{OLD}", is_legacy=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("agent.example", "domain"),
        ("agent.example:8443", "domain"),
        ("localhost:8000", "domain"),
        ("127.0.0.1:9000", "domain"),
        ("[::1]:9000", "domain"),
        ("https://agent.example", "base-url"),
        ("https://agent.example/t/42", "base-url"),
        ("HTTPS://agent.example/card.json?v=1", "card-url"),
        ("http://localhost:1/.well-known/agent-card.json", "card-url"),
        ("card.json", "file"),
        ("./card", "file"),
        ("/srv/agent.example", "file"),
        ("-", "file"),
        (' {"name": "x"}', "document"),
    ],
)
def test_a_person_names_a_target_in_many_ways(text: str, kind: str) -> None:
    assert target_of(text).kind == kind


def test_a_person_can_say_that_a_url_is_the_cards_own() -> None:
    url = "https://fabric.example/agents/fx/agentCard/v1.0"
    assert target_of(url).kind == "base-url"
    assert [place.url for place in places(target_of(url, exact=True))] == [url]
    assert target_of("fx.example", exact=True).kind == "domain"
    assert target_of("card.json", exact=True).kind == "file"


@given(st.text(), st.booleans())
def test_no_text_makes_locating_fail(text: str, legacy_path: bool) -> None:
    for target in (target_of(text), Target(kind="base-url", value=text), Target(kind="domain", value=text)):
        found = places(target, legacy_path=legacy_path)
        assert len(found) == len(set(found)) <= 14
