"""From the bytes of a real card to profile and identity, within what an event can carry."""

import json
from typing import Any

from cardtrail.events import Fact, ProfileCompiled, encode, observation_id
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.compiler.compiled import Compiled, compiled
from tests.projections.log import START

CAP = 256 * 1024


def card(**members: Any) -> dict[str, Any]:
    skill = {"id": "quote", "name": "Quote", "description": "Quotes a trip", "tags": ["travel"]}
    return {
        "name": "Pricing",
        "description": "Prices itineraries",
        "version": "3.2.0",
        "supportedInterfaces": [
            {"url": "https://p.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [skill],
        **members,
    }


def made(value: dict[str, Any], signature: SignatureSummary | None = None) -> Compiled:
    answer = compiled(json.dumps(value).encode(), signature or SignatureSummary(), ClientCapabilities())
    assert answer is not None
    return answer


def test_a_card_becomes_a_profile_and_an_identity() -> None:
    answer = made(card(), SignatureSummary(outcome="verified", signer="partner"))
    assert (answer.profile.usable, answer.profile.streaming, list(answer.profile.skills)) == (True, True, ["quote"])
    assert (answer.identity.version, answer.identity.signature, answer.identity.signer) == (
        "3.2.0",
        "verified",
        "partner",
    )


def test_words_change_the_texts_alone() -> None:
    one, two = made(card()), made(card(description="Prices all itineraries"))
    assert (one.profile_digest, one.identity_digest) == (two.profile_digest, two.identity_digest)
    assert one.texts_digest != two.texts_digest


def test_what_is_no_card_compiles_to_nothing() -> None:
    assert compiled(b"{", SignatureSummary(), ClientCapabilities()) is None
    assert compiled(b"[]", SignatureSummary(), ClientCapabilities()) is None


def test_a_profile_of_any_size_can_be_told() -> None:
    for count, usable in ((10, True), (500, True), (1_200, False)):
        modes = [f"application/{'x' * 40}{number}" for number in range(4)]
        skills = [
            {"id": f"skill-{number}", "name": "s", "description": "d", "tags": ["t"], "inputModes": modes}
            for number in range(count)
        ]
        answer = made(card(skills=skills))
        event = ProfileCompiled(
            agent="pricing",
            card=observation_id(1, bytes(10)),
            card_sequence=1,
            card_digest="sha256:c",
            compiler_version="1",
            client_digest="sha256:k",
            **dict(answer),
        )
        fact = Fact(id=observation_id(1, bytes(10)), source="test", time=START, data=event)
        assert len(encode(fact)) < CAP
        assert answer.profile.usable is usable
        assert usable or answer.profile.reasons[0].code == "profile-too-large"
