"""Who is meant: names, places, hosts; never a guess where two could be."""

import pytest

from cardtrail.events import AgentTracked, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import UsageError
from cardtrail.events.model.lockfile import Candidate
from cardtrail.services.cli.live.directory import Directory
from cardtrail.services.declared import Declared
from tests.projections.facts import LOCK, lock

FOUND = "https://pricing.partner.example/.well-known/agent-card.json"


def tracked(agent: str, value: str, principal: str = "public") -> AgentTracked:
    return AgentTracked(agent=agent, principal=principal, target=Target(kind="base-url", value=value))


def directory(
    *agents: AgentTracked, locks: tuple[tuple[str, str, str], ...] = (), gone: frozenset[str] = frozenset()
) -> Directory:
    told = {(event.agent, event.principal): event for event in agents}
    pins = {key: LockfilePinned(agent=key[1], workflow=key[0], lockfile=lock(), lock_digest=LOCK) for key in locks}
    freshness = {("public", "pricing"): {"location": FOUND}}
    return Directory(Declared(None, told, {key: key[0] in gone for key in told}, pins), freshness)


PRICING = tracked("pricing", "https://pricing.partner.example")
FARES = tracked("fares", "https://fares.other.example")


@pytest.mark.parametrize(
    "given",
    ["pricing", FOUND, "HTTPS://Pricing.Partner.Example:443/.well-known/agent-card.json", "pricing.partner.example"],
)
def test_an_agent_answers_to_its_name_its_place_and_its_host(given: str) -> None:
    assert directory(PRICING, FARES).agent(given) == ("pricing", "public")


def test_nobody_is_guessed_and_near_names_are_offered() -> None:
    with pytest.raises(UsageError) as refused:
        directory(PRICING, FARES).agent("pricng")
    assert (refused.value.code, refused.value.hint) == ("agent-unknown", "did you mean pricing?")


def test_only_names_of_agents_that_are_watched_are_offered_and_no_place_of_theirs() -> None:
    file = AgentTracked(agent="rates", target=Target(kind="file", value="/srv/cards/rates.json"))
    with pytest.raises(UsageError) as refused:
        directory(PRICING, file, FARES, gone=frozenset({"fares"})).agent("nobody")
    assert refused.value.hint == "one of pricing, rates"
    with pytest.raises(UsageError) as refused:
        directory(FARES, gone=frozenset({"fares"})).agent("nobody")
    assert refused.value.hint == "cardtrail track TARGET"


def test_a_host_with_two_agents_is_nobody() -> None:
    both = directory(PRICING, tracked("pricing-test", "https://pricing.partner.example/test"))
    with pytest.raises(UsageError, match="several agents") as refused:
        both.agent("pricing.partner.example")
    assert refused.value.hint == "one of pricing, pricing-test"


def test_the_only_principal_that_has_the_agent_is_meant() -> None:
    assert directory(tracked("pricing", "https://p.example", "desk")).agent("pricing") == ("pricing", "desk")


def test_an_agent_of_several_others_is_asked_for_by_principal() -> None:
    both = directory(*(tracked("pricing", "https://p.example", who) for who in ("desk", "rail")))
    with pytest.raises(UsageError) as refused:
        both.agent("pricing")
    assert (refused.value.code, refused.value.hint) == ("principal-unknown", "--principal: one of desk, rail")
    assert both.agent("pricing", "rail") == ("pricing", "rail")


def test_who_is_only_to_stand_in_is_known_by_the_name_that_the_lock_gives() -> None:
    held = lock(Candidate(agent="spare"), Candidate(agent=FOUND))
    pins = {("trip", "fares", "desk"): LockfilePinned(agent="fares", workflow="trip", lockfile=held, lock_digest=LOCK)}
    agents = {("pricing", "desk"): tracked("pricing", FOUND, "desk")}
    known = Directory(Declared(None, agents, {("pricing", "desk"): False}, pins), {})
    assert known.agent("spare") == ("spare", "desk")
    assert known.names("pricing") == ("pricing", FOUND)


def test_what_locks_call_the_agent_is_known() -> None:
    found = directory(PRICING, FARES, locks=(("trip", FOUND, "public"), ("rail", "fares", "public")))
    assert found.names("pricing") == ("pricing", FOUND)
    assert found.names("fares") == ("fares",)


def test_an_agent_that_is_watched_no_more_is_still_known() -> None:
    found = directory(PRICING, gone=frozenset({"pricing"}))
    assert found.agent("pricing") == ("pricing", "public")
    assert found.watched(("pricing", "public")) is None


def test_a_workflow_without_a_lock_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        directory(PRICING, locks=(("trip-planner", "pricing", "public"),)).workflow("trip-planer")
    assert (refused.value.code, refused.value.hint) == ("workflow-unknown", "did you mean trip-planner?")
