"""Principals taking turns: none sees what is another's, and both cards of one pass the same stages."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.events import CardFetched, encode
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.fact import PUBLIC, Fact, observation_id
from cardtrail.events.subjects import body_subject, subject
from cardtrail.services.fetcher.examine import Checks, Verified
from tests.services.fetcher.principals import HOME, NOW, RPC, Agent, answer, card, desk, rpc_error

PRINCIPALS = (PUBLIC, "mira", "jon")
LOOKS = st.lists(
    st.tuples(st.sampled_from(PRINCIPALS), st.sampled_from(("", "401", "500", "new", "none"))), max_size=12
)


@settings(max_examples=60)
@given(LOOKS)
def test_however_principals_take_turns_none_sees_what_is_another_ones(looks: list[tuple[str, str]]) -> None:
    """Profiles, facts, subjects, bodies and memory of one principal hold nothing of another."""
    agent = Agent(card("quote"))
    made = desk(agent, *PRINCIPALS)
    for number, (principal, happening) in enumerate(looks):
        own = {"401": answer(RPC, {}, 401), "500": answer(RPC, {}, 500)}.get(happening)
        if happening == "none":
            own = rpc_error("ExtendedAgentCardNotConfiguredError")
        skill = f"only-{principal}-{number}" if happening == "new" else f"only-{principal}"
        agent.extended[principal] = own or card("quote", skill)
        made.look(principal)
        allowed = {"quote"} | {skill for skill in made.profiles[principal] if skill.startswith(f"only-{principal}")}
        assert made.profiles[principal] <= allowed
    assert made.profiles.get(PUBLIC, {"quote"}) == {"quote"}
    for principal in PRINCIPALS:
        others = [f"only-{other}".encode() for other in PRINCIPALS if other != principal]
        mine = [body for (_, whose, _), body in made.bodies.items() if whose == principal]
        mine += [told(event) for event in made.log if event.principal == principal]  # type: ignore[attr-defined]
        mine += [made.memory(principal, extended=one).model_dump_json().encode() for one in (False, True)]
        assert not any(other in data for other in others for data in mine)
        assert not any(b"secret-" in data for data in mine)
    assert len({body_subject("rates", principal, "sha256:0") for principal in PRINCIPALS}) == len(PRINCIPALS)
    fact = CardFetched(agent="rates")
    assert len({subject(fact.model_copy(update={"principal": one})) for one in PRINCIPALS}) == len(PRINCIPALS)


def told(event: Any) -> bytes:
    return encode(Fact(id=observation_id(0, bytes(10)), source="t", time=NOW, data=event))


def test_a_signature_that_the_public_card_shows_is_missed_on_the_extended_one() -> None:
    """Both cards pass the same stage, and one origin has one memory of being signed."""
    made = desk(Agent(card("quote"), {"mira": card("quote", "audit")}), "mira")
    signed = Verified(SignatureSummary(outcome="verified", signer="thumb", kid="k"))
    seen = []

    async def verify(body: bytes, _document: Any, location: str, *_: Any) -> Verified:
        seen.append((b"audit" in body, location))
        return Verified() if b"audit" in body else signed

    made.checks = Checks(verify)
    made.look("mira")
    made.look("mira", forced=True)
    assert (True, HOME) in seen
    assert (False, HOME) in seen
    codes = {finding.code for fact in made.log if isinstance(fact, CardFetched) for finding in fact.findings}
    assert "CT207" in codes
