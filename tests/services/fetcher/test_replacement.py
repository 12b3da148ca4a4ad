"""Which observation a principal's profile rests on."""

from datetime import timedelta
from typing import Any

import pytest

from cardtrail.events import CardFetched, CardRefused, LockfilePinned
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires
from cardtrail.services.fetcher.dispatch import DUE
from cardtrail.services.outbound.call import Refusal
from tests.services.fetcher.principals import (
    HOME,
    REST,
    RPC,
    Agent,
    Token,
    answer,
    card,
    desk,
    findings,
    kinds,
    rpc_error,
)


def test_an_extended_card_is_told_for_its_principal_and_compiled_in_place_of_the_public_one() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")})
    made = desk(agent, PUBLIC, "mira")
    assert kinds(made.look(PUBLIC)) == ["full"]
    assert kinds(made.look("mira")) == ["aside full", "extended full"]
    assert made.profiles == {PUBLIC: {"quote"}, "mira": {"quote", "audit"}}
    assert kinds(made.look("mira")) == ["aside same", "extended same"]
    told = made.log[-1]
    assert isinstance(told, CardFetched)
    assert told.same_as == 5


def test_it_replaces_and_is_never_merged_so_a_skill_that_it_drops_is_gone() -> None:
    made = desk(Agent(card("quote", "convert"), {"mira": card("quote")}), "mira")
    made.look("mira")
    assert made.profiles["mira"] == {"quote"}


def test_its_interface_is_selected_again_and_where_it_was_found_stays_the_agents_place() -> None:
    agent = Agent(card("quote", bindings=("JSONRPC", "HTTP+JSON")), {"mira": card("quote", bindings=("HTTP+JSON",))})
    _, told = desk(agent, "mira").look("mira")
    assert isinstance(told, CardFetched)
    assert (told.extended, told.location) == (True, HOME)
    assert agent.extended_requests() == [("POST", RPC, "mira")]


@pytest.mark.parametrize(("flag", "token"), [(False, True), (True, False), (False, False)])
def test_without_flag_or_credential_it_is_never_asked_for(flag: bool, token: bool) -> None:
    agent = Agent(card("quote", flag=flag), {"mira": card("quote", "audit")})
    made = desk(agent, "mira")
    made.tokens["mira"] = Token("mira") if token else None
    for _ in range(3):
        made.look("mira")
    assert agent.extended_requests() == []
    assert made.profiles["mira"] == {"quote"}


def test_the_public_never_asks_for_it() -> None:
    agent = Agent(card("quote"), {"": card("quote", "audit")})
    desk(agent, PUBLIC).look(PUBLIC)
    assert agent.extended_requests() == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ExtendedAgentCardNotConfiguredError", "CT110"),
        ("UnsupportedOperationError", "CT111"),
        ("MethodNotFoundError", "CT111"),
    ],
)
def test_an_agent_without_one_falls_back_to_its_public_card_with_a_finding(name: str, code: str) -> None:
    made = desk(Agent(card("quote"), {"mira": rpc_error(name)}), "mira")
    (told,) = made.look("mira")
    assert findings(told) == {code}
    assert made.profiles["mira"] == {"quote"}
    assert kinds(made.look("mira")) == ["same"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (answer(RPC, {}, 401), "unauthorized"),
        (answer(RPC, {}, 403), "forbidden"),
        (answer(RPC, {}, 500), "server-error"),
        (answer(RPC, {}, 503), "unavailable"),
        (Refusal("fetch", "total-timeout", fault="network"), "total-timeout"),
        ({"name": "no card"}, "not-a-card"),
        (card("quote", "quote", bindings=()), "no-endpoint"),
        (answer(RPC, {"jsonrpc": "2.0", "id": "1", "result": card("quote", "secret")}), "answer-mismatched"),
    ],
)
def test_a_refusal_leaves_the_last_good_card_and_says_why(said: Any, reason: str) -> None:
    """The good card may be extended, or public where no extended one was ever had."""
    made = desk(Agent(card("quote"), {"mira": said}), "mira")
    facts = made.look("mira")
    assert kinds(facts)[0] == "full"
    assert isinstance(facts[1], CardRefused)
    assert facts[1].extended
    assert made.profiles["mira"] == {"quote"}
    made.agent.extended["mira"] = card("quote", "audit")
    made.look("mira")
    made.agent.extended["mira"] = said
    assert kinds(made.look("mira")) == ["aside same", f"refused:{facts[1].reason}"]
    assert reason in facts[1].reason
    assert made.profiles["mira"] == {"quote", "audit"}


def test_while_it_is_refused_looks_come_later_and_later_and_trouble_is_not_forgotten_in_between() -> None:
    agent = Agent(card("quote"), {"mira": answer(RPC, {}, 401)})
    made = desk(agent, "mira")
    pauses = []
    for _ in range(6):
        facts = made.look("mira")
        row = made.rows.get(DUE, ("rates", "mira"))
        assert row is not None
        pauses.append(row["failures"])
    assert pauses == [1, 2, 3, 4, 5, 6]
    assert kinds(facts) == ["aside same", "refused:unauthorized"], "an equal public card ends no trouble"


def test_the_public_card_given_again_is_recognised() -> None:
    agent = Agent(card("quote"), {"mira": card("quote")})
    made = desk(agent, "mira")
    (told,) = made.look("mira")
    assert findings(told) == {"CT112"}
    assert not told.extended  # type: ignore[attr-defined]


def test_the_public_card_where_another_one_was_is_a_lapse_of_who_we_are_and_changes_nothing() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")})
    made = desk(agent, "mira")
    made.look("mira")
    agent.extended["mira"] = card("quote")
    assert kinds(made.look("mira")) == ["aside same", "refused:public-card-again"]
    assert made.profiles["mira"] == {"quote", "audit"}
    agent.public = card("quote", "audit")
    agent.extended["mira"] = card("quote", "audit")
    assert kinds(made.look("mira")) == ["full"], "a public card that caught up is believed"


@pytest.mark.parametrize("ending", ["flag", "not-configured"])
def test_when_there_is_none_any_more_the_public_card_is_told_in_full_and_counts_again(ending: str) -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")})
    made = desk(agent, "mira")
    made.look("mira")
    assert made.profiles["mira"] == {"quote", "audit"}
    if ending == "flag":
        agent.public = card("quote", flag=False)
    else:
        agent.extended["mira"] = rpc_error("ExtendedAgentCardNotConfiguredError")
    assert kinds(made.look("mira")) == ["full"]
    assert made.profiles["mira"] == {"quote"}
    assert made.memory("mira", extended=True).full is None
    assert kinds(made.look("mira")) == ["same"]


def test_over_http_it_is_asked_for_conditionally_and_a_304_confirms_it() -> None:
    agent = Agent(card("quote", bindings=("HTTP+JSON",)), {"mira": card("quote", "audit", bindings=("HTTP+JSON",))})
    made = desk(agent, "mira")
    made.look("mira")
    facts = made.look("mira")
    assert kinds(facts) == ["aside same", "extended same"]
    assert [fact.status for fact in facts if isinstance(fact, CardFetched)] == [304, 304]
    assert agent.extended_requests()[-1] == ("GET", f"{REST}/extendedAgentCard", "mira")
    assert kinds(made.look("mira", forced=True)) == ["aside same", "extended same"]
    assert made.log[-1].status == 200  # type: ignore[attr-defined]


def test_while_the_agent_vouches_for_it_one_conditional_request_is_all_that_is_sent() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")}, {"cache-control": "max-age=7200"})
    made = desk(agent, "mira")
    made.look("mira")
    agent.asked.clear()
    assert kinds(made.look("mira", after=timedelta(minutes=50))) == ["aside same"]
    assert agent.asked == [("GET", HOME, "mira")]
    assert made.rows.get(DUE, ("rates", "mira"))["due"] > "2026-10-02T12"  # type: ignore[index]
    assert kinds(made.look("mira", anew=True, after=timedelta(seconds=1))) == ["aside same", "extended same"], (
        "a lock waits"
    )
    assert kinds(made.look("mira", after=timedelta(minutes=61))) == ["aside same", "extended same"], (
        "one interval at most"
    )
    agent.public = card("quote", version="1.0.1")
    assert kinds(made.look("mira", after=timedelta(minutes=1))) == ["aside full", "extended same"], (
        "not over a new card"
    )


def test_a_credential_for_another_host_is_not_sent_and_the_refusal_says_so() -> None:
    made = desk(Agent(card("quote"), {"mira": card("quote", "audit")}), "mira")
    made.tokens["mira"] = Token("mira", ("elsewhere.example",))

    async def door(call: Any) -> Any:
        foreign = call.url == RPC
        return Refusal("authenticate", "credential-foreign-host", fault="ours") if foreign else await sent(call)

    sent, made.agent.send = made.agent.send, door  # type: ignore[method-assign]
    assert kinds(made.look("mira")) == ["full", "refused:credential-foreign-host"]
    assert made.agent.asked == [("GET", HOME, "")]


def test_a_server_that_names_another_card_by_the_same_tag_is_caught() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")}, {"etag": '"1"'})
    made = desk(agent, "mira")
    made.look("mira")
    agent.extended["mira"] = card("quote", "audit", "book")
    _, told_ = made.look("mira")
    assert findings(told_) == {"CT102"}


def test_a_principal_whose_credential_is_taken_away_is_back_at_the_public_card() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")}, {"cache-control": "max-age=7200"})
    made = desk(agent, "mira")
    made.look("mira")
    made.tokens["mira"] = None
    assert kinds(made.look("mira", after=timedelta(minutes=1))) == ["full"]
    assert made.profiles["mira"] == {"quote"}


def test_a_lock_pinned_for_a_principal_is_answered_by_the_card_that_counts() -> None:
    agent = Agent(card("quote"), {"mira": card("quote", "audit")}, {"cache-control": "max-age=7200"})
    made = desk(agent, "mira")
    made.look("mira")
    lock = Lockfile(
        agent="rates",
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=Requires(),
        principal="mira",
    )
    made.tell(LockfilePinned(agent="rates", principal="mira", workflow="w", lockfile=lock, lock_digest=""))
    row = made.rows.get(DUE, ("rates", "mira"))
    assert row is not None
    assert row["mark"] == "anew"
    made.profiles.clear()
    made.look("mira", anew=True, after=timedelta(seconds=1))
    assert made.profiles == {"mira": {"quote", "audit"}}
