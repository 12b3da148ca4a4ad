"""Signing: what we sign others verify, and what others sign we verify."""

import json
from typing import Any

import pytest
from jwcrypto.jwk import JWK

from cardtrail.events.errors import UsageError
from cardtrail.services.card.canonical_forms import FORMS
from cardtrail.services.card.sign import sign
from tests.services.card.signers import PRIVATE, a_card, judge, only, public

jwt = pytest.importorskip("jwt", reason="the SDK signs with PyJWT")
signing = pytest.importorskip("a2a.utils.signing", reason="the A2A SDK is not installed")
json_format = pytest.importorskip("google.protobuf.json_format")
types = pytest.importorskip("a2a.types")


def sdk_card(card: dict[str, Any]) -> Any:
    return json_format.ParseDict(card, types.AgentCard())


def sdk_signed(card: dict[str, Any], name: str, alg: str) -> dict[str, Any]:
    key = jwt.PyJWK(PRIVATE[name], algorithm=alg)
    signer = signing.create_agent_card_signer(key, {"alg": alg, "kid": name, "jku": None, "typ": "JOSE"})
    return json_format.MessageToDict(signer(sdk_card(card)))  # type: ignore[no-any-return]


def sdk_verifies(card: dict[str, Any], name: str, alg: str) -> None:
    signing.create_signature_verifier(lambda _kid, _jku: jwt.PyJWK(public(name), algorithm=alg), [alg])(sdk_card(card))


RICH = a_card(
    name="Café 😀",
    capabilities={
        "extensions": [{"uri": "urn:x", "params": {"n": 1, "x": 1.5, "e": "", "a": [""], "\U0001f600": 0, "\ufb33": 1}}]
    },
    securityRequirements=[{"schemes": {"k": {"list": ["a"]}}}, {"schemes": {"m": {}}}],
)


@pytest.mark.parametrize(
    ("name", "alg"), [("ec", "ES256"), ("p384", "ES384"), ("rsa", "RS256"), ("rsa", "PS256"), ("ed", "EdDSA")]
)
@pytest.mark.parametrize("card", [a_card(), RICH], ids=["plain", "rich"])
def test_a_card_signed_by_the_sdk_verifies_here_under_the_sdks_form(card: dict[str, Any], name: str, alg: str) -> None:
    result = only(judge(sdk_signed(card, name, alg)))
    assert (result.outcome, result.form, result.alg) == ("verified", "sdk_pruned", alg)


@pytest.mark.parametrize(("name", "alg"), [("ec", "ES256"), ("p521", "ES512"), ("rsa", "RS256"), ("ed", "EdDSA")])
@pytest.mark.parametrize("card", [a_card(), RICH], ids=["plain", "rich"])
def test_a_card_signed_here_in_the_sdks_form_verifies_there(card: dict[str, Any], name: str, alg: str) -> None:
    sdk_verifies(sign(card, PRIVATE[name], form="sdk_pruned", alg=alg), name, alg)
    with pytest.raises(signing.InvalidSignaturesError):
        sdk_verifies(sign(card, PRIVATE[name], form="raw", alg=alg), name, alg)


def test_signing_appends_and_leaves_the_given_card_alone() -> None:
    card = a_card()
    before = json.dumps(card)
    twice = sign(sign(card, PRIVATE["ec"]), PRIVATE["ed"], form="raw")
    assert json.dumps(card) == before
    assert [result.kid for result in judge(twice).signatures] == ["ec", "ed"]
    assert judge(twice).outcome == "verified"


def test_kid_alg_jku_and_unprotected_header_are_the_signers_choice() -> None:
    card = sign(a_card(), PRIVATE["rsa"], alg="PS512", jku="https://rates.example/k", header={"note": "x"})
    result = only(judge(card))
    assert (result.outcome, result.alg, result.notes) == ("verified", "PS512", ("jku-ignored",))
    assert card["signatures"][0]["header"] == {"note": "x"}
    assert only(judge(sign(a_card(), PRIVATE["ec"], kid="other"))).reason == "unknown-kid"


def test_a_legacy_card_is_signed_in_its_raw_form_or_not_at_all() -> None:
    card = {"name": "Old", "url": "https://old.example/a2a", "version": "1", "signatures": None}
    assert judge(sign(card, PRIVATE["ec"], form="raw")).outcome == "verified"
    with pytest.raises(UsageError) as refused:
        sign(card, PRIVATE["ec"])
    assert refused.value.code == "form-unfit"


@pytest.mark.parametrize("form", FORMS)
def test_signing_twice_with_a_deterministic_key_gives_the_same_signature(form: str) -> None:
    assert sign(a_card(), PRIVATE["ed"], form=form) == sign(a_card(), PRIVATE["ed"], form=form)


NAMELESS = json.loads(JWK(**PRIVATE["ec"]).export()) | {"kid": ""}


@pytest.mark.parametrize(
    ("jwk", "choice", "code"),
    [
        (PRIVATE["ec"], {"form": "rfc9999"}, "form-unknown"),
        (PRIVATE["ec"], {"alg": "HS256"}, "alg-not-allowed"),
        (PRIVATE["ec"], {"alg": "RS256"}, "alg-not-allowed"),
        (NAMELESS, {}, "kid-missing"),
        (public("ec"), {}, "key-unfit"),
        ({"kty": "oct", "k": "AAAA", "kid": "x"}, {}, "key-unfit"),
        (PRIVATE["ec"] | {"d": "%%"}, {}, "key-unfit"),
        (PRIVATE["ec"] | {"d": 5}, {}, "key-unfit"),
        ({}, {}, "key-unfit"),
    ],
)
def test_what_cannot_sign_is_a_usage_error(jwk: dict[str, Any], choice: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as refused:
        sign(a_card(), jwk, **choice)  # type: ignore[arg-type]
    assert refused.value.code == code
