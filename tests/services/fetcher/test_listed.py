"""From a walk to facts: what is watched, what is not and why, and that only a complete walk takes anything away."""

from typing import Any

import pytest

from cardtrail.events import AgentTracked, AgentUntracked, Event, RegistryScanned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import raw_digest
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.candidate import Candidate, EntryRefused
from cardtrail.services.fetcher.listed import scanned
from cardtrail.services.fetcher.registry_walk import Walk

REGISTRY = RegistrySettings(source="ai-catalog:https://catalog.example")
URL = "https://fx.example/card.json"


def one(identifier: str = "fx", **members: Any) -> Candidate:
    return Candidate(registry_id=identifier, **({"card_url": URL} | members))


class Log:
    """What the log says after each walk."""

    def __init__(self, registry: RegistrySettings = REGISTRY, watched: tuple[tuple[str, str], ...] = ()) -> None:
        self.registry, self.watched = registry, watched
        self.held: dict[tuple[str, str], AgentTracked] = {}
        self.gone: dict[tuple[str, str], bool] = {}

    def walk(self, *candidates: Candidate, **walk: Any) -> list[Event]:
        found = Walk(candidates=candidates, **walk)
        events = scanned(
            "company", self.registry, found, self.held, self.gone, lambda url, who: (url, who) in self.watched
        )
        for event in events:
            if isinstance(event, AgentTracked):
                self.held[(event.agent, event.principal)] = event
                self.gone[(event.agent, event.principal)] = False
            elif isinstance(event, AgentUntracked):
                self.gone[(event.agent, event.principal)] = True
        return events


def report(events: list[Event]) -> RegistryScanned:
    last = events[-1]
    assert isinstance(last, RegistryScanned)
    return last


def names(events: list[Event]) -> list[str]:
    return [event.agent for event in events if isinstance(event, AgentTracked)]


def ended(events: list[Event]) -> list[str]:
    return [event.agent for event in events if isinstance(event, AgentUntracked)]


def test_an_entry_is_watched_under_its_registrys_name_with_all_that_the_registry_says() -> None:
    (tracked, told) = Log().walk(one(tenant="eu", owner="fx desk", tags=("fx", "rates"), status="approved"))
    assert isinstance(tracked, AgentTracked)
    assert (tracked.agent, tracked.source_kind, tracked.registry) == ("company/fx@eu", "registry", "company")
    assert tracked.registry_metadata == {
        "registry_id": "fx",
        "tenant": "eu",
        "owner": "fx desk",
        "tags": "fx, rates",
        "status": "approved",
    }
    assert tracked.by == "registry:company"
    assert isinstance(told, RegistryScanned)
    assert (told.complete, told.candidates, told.agents) == (True, 1, ("company/fx@eu",))


def test_an_equal_walk_tells_nothing_but_that_it_was() -> None:
    log = Log()
    log.walk(one())
    (told,) = log.walk(one())
    assert isinstance(told, RegistryScanned)


def test_only_a_complete_walk_ends_what_it_does_not_name() -> None:
    log = Log()
    log.walk(one(), one("hr", card_url="https://hr.example/card.json"))
    assert ended(log.walk(complete=False, problem="unavailable")) == []
    assert ended(log.walk(one(), complete=False, problem="cursor-repeated")) == []
    assert ended(log.walk(one())) == ["company/hr"]
    assert ended(log.walk(one())) == []
    assert ended(log.walk()) == ["company/fx"]


@pytest.mark.parametrize(
    ("reason", "ends"), [("url-not-absolute", False), ("url-or-data", False), ("not-approved", True), ("hidden", True)]
)
def test_an_entry_that_is_broken_is_not_gone_and_one_that_was_withdrawn_is(reason: str, ends: bool) -> None:
    log = Log()
    log.walk(one())
    told = log.walk(refused=(EntryRefused(registry_id="fx", reason=reason),))
    assert bool(ended(told)) is ends
    assert report(told).refused == 1


@pytest.mark.parametrize(
    ("settings", "entry", "count"),
    [
        ({"tenant": "eu"}, {"tenant": "eu"}, 1),
        ({"tenant": "eu"}, {"tenant": "us"}, 0),
        ({"tenant": "eu"}, {}, 0),
        ({"tags": ("fx",)}, {"tags": ("fx", "x")}, 1),
        ({"tags": ("fx",)}, {"tags": ("hr",)}, 0),
        ({"tags": ("fx",)}, {}, 0),
        ({}, {"card_url": "https://10.0.0.5/card.json"}, 0),
        ({}, {"card_url": "http://fx.example/card.json"}, 0),
        ({"networks": ("10.0.0.0/8",)}, {"card_url": "https://10.0.0.5/card.json"}, 1),
        ({"allowed_hosts": ("*.corp.example",)}, {}, 0),
        ({}, {"card_url": None, "card_document": "{}"}, 1),
        ({}, {"registry_id": "fx\x1b[2J"}, 0),
        ({}, {"registry_id": "x" * 600}, 0),
        ({}, {"registry_id": "fx\u202e"}, 0),
        ({}, {"tenant": "eu\x1b[2J"}, 0),
        ({}, {"tenant": "x" * 600}, 0),
        ({}, {"tenant": "e@u"}, 0),
    ],
)
def test_what_settings_and_policy_do_not_want_is_refused_and_counted(
    settings: dict[str, Any], entry: dict[str, Any], count: int
) -> None:
    log = Log(REGISTRY.model_copy(update=settings))
    told = log.walk(Candidate(**({"registry_id": "fx", "card_url": URL} | entry)))
    assert (len(names(told)), report(told).refused) == (count, 1 - count)


def test_two_tenants_are_two_agents_and_one_url_is_one() -> None:
    assert names(Log().walk(one(tenant="eu"), one(tenant="us", card_url="https://us.example/c"))) == [
        "company/fx@eu",
        "company/fx@us",
    ]
    assert names(Log().walk(one(), one("again"))) == ["company/fx"]


def test_no_entry_takes_the_name_of_another_by_how_it_calls_itself() -> None:
    entries = (("fx", "eu"), ("fx@eu", None), ("fx@eu@", None), ("fx@", "eu"), ("fx", None), ("fx@", None))
    candidates = [
        one(identifier, tenant=tenant, card_url=f"{URL}?{number}")
        for number, (identifier, tenant) in enumerate(entries)
    ]
    found = names(Log().walk(*candidates))
    assert len(set(found)) == len(entries)
    assert found[0] == "company/fx@eu"


def test_a_name_that_the_operator_has_given_is_not_taken_from_them() -> None:
    log = Log()
    mine = AgentTracked(
        agent="company/fx", target=Target(kind="card-url", value="https://mine.example/c"), by="settings"
    )
    log.held[("company/fx", "public")], log.gone[("company/fx", "public")] = mine, False
    told = log.walk(one())
    assert (names(told), report(told).refused) == ([], 1)
    log.gone[("company/fx", "public")] = True
    assert names(log.walk(one())) == ["company/fx"]


def test_what_the_operator_watches_already_is_not_watched_twice_and_a_doubled_one_ends() -> None:
    assert names(Log(watched=((URL, "public"),)).walk(one())) == []
    log = Log()
    log.walk(one())
    log.watched = ((URL, "public"),)
    assert ended(log.walk(one())) == ["company/fx"]


def test_each_principal_has_the_agent_with_its_own_credential() -> None:
    registry = REGISTRY.model_copy(update={"principals": ("public", "mira"), "credentials": {"mira": "token"}})
    told = [event for event in Log(registry).walk(one()) if isinstance(event, AgentTracked)]
    assert [(event.principal, event.credential) for event in told] == [("public", ""), ("mira", "token")]


def test_a_card_that_an_entry_holds_is_named_by_digest_and_told_again_when_it_is_another() -> None:
    log, first = Log(), Candidate(registry_id="fx", card_document='{"name": "\u00fc"}')
    (tracked, _) = log.walk(first)
    assert isinstance(tracked, AgentTracked)
    assert (tracked.target.kind, tracked.target.value) == ("document", raw_digest(first.document()))
    assert names(log.walk(first)) == []
    assert names(log.walk(first.model_copy(update={"card_document": "{}"}))) == ["company/fx"]


def test_a_long_listing_fits_into_the_fact_about_it() -> None:
    many = tuple(one(f"agent-{n:05}" + "x" * 400, card_url=f"https://fx.example/{n}") for n in range(3_000))
    told = Log().walk(*many)
    assert (len(names(told)), len(report(told).agents)) == (3_000, 500)
    assert len(report(told).model_dump_json()) < 256 * 1024
