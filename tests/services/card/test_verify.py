"""Verification against published vectors and hostile signatures: which outcome, for which reason, under which form."""

import hashlib
import hmac
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jwcrypto.jwk import JWK

from cardtrail.services.card.canonical_forms import FORMS, SECURITY_MEMBERS, canonical_form
from cardtrail.services.card.keys import KeySet, parse_keys
from cardtrail.services.card.parse import parse
from cardtrail.services.card.reverify import reverify
from cardtrail.services.card.sign import sign
from cardtrail.services.card.signature_findings import signature_findings
from cardtrail.services.card.signature_reasons import REASONS
from cardtrail.services.card.verification import Verification
from cardtrail.services.card.verify import verify
from tests.services.card.signers import (
    ALL_KEYS,
    NOW,
    PRIVATE,
    a_card,
    b64,
    der,
    es256,
    judge,
    key_set,
    only,
    public,
    raw_payload,
    signed_over,
)

SHARED = os.environ.get("CARDTRAIL_SHARED")
needs_vectors = pytest.mark.skipif(SHARED is None, reason="CARDTRAIL_SHARED names no folder of vectors")
GOOD = {"alg": "ES256", "kid": "ec", "typ": "JOSE"}


def shared(name: str) -> Any:
    return json.loads((Path(SHARED or "") / name).read_bytes())


def judged(data: bytes, keys: KeySet) -> Verification:
    return verify(data, parse(data), keys, now=NOW)


def with_signature(signature: Any, **card: Any) -> dict[str, Any]:
    return a_card(**card) | {"signatures": signature if isinstance(signature, list) else [signature]}


def raw_signed(protected: bytes | dict[str, Any] = GOOD, **more: Any) -> dict[str, Any]:
    """A card with a foreign signer's signature over its raw form, and more members in the signature object."""
    return with_signature(signed_over(raw_payload(a_card()), protected) | more)


def reason(card: dict[str, Any], keys: KeySet = ALL_KEYS) -> str:
    result = only(judge(card, keys))
    assert result.outcome == REASONS[result.reason].outcome
    assert result.hint
    return result.reason


@needs_vectors
def test_the_published_signed_cards_verify_under_exactly_their_forms_and_policy_decides_the_rest() -> None:
    vectors = shared("spec/signed-card-vectors.json")
    keys = parse_keys(json.dumps(vectors["jwks"]).encode())
    policy = {"crit-unknown": "crit-unknown", "missing-kid": "kid-missing", "unknown-kid": "unknown-kid"}
    policy |= {"alg-none": "alg-not-allowed", "hs256-key-confusion": "alg-not-allowed"}
    for vector in vectors["vectors"]:
        verification = judged(json.dumps(vector["card"]).encode(), keys)
        for result in verification.signatures:
            forms = vector["verifiesUnder"][str(result.index)]
            if vector["id"] in policy:
                assert (vector["id"], result.reason) == (vector["id"], policy[vector["id"]])
            else:
                assert (vector["id"], list(result.forms)) == (vector["id"], forms)
                assert result.form == (forms[0] if forms else None)
        good = any(vector["verifiesUnder"].values()) and vector["id"] not in policy
        assert (vector["id"], verification.outcome == "verified") == (vector["id"], good)


@needs_vectors
def test_real_signed_versions_of_a_legacy_card_verify_under_the_raw_form_and_no_other() -> None:
    vectors = shared("corpus/signature_vectors.json")
    assert len(vectors) == 8
    for vector in vectors:
        data = (Path(SHARED or "") / "corpus" / vector["file"]).read_bytes()
        result = only(judged(data, key_set(vector["public_key_jwk"] | {"kid": vector["kid"]})))
        assert (result.outcome, result.forms, result.alg) == ("verified", ("raw",), vector["alg"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PRIVATE)
def test_every_form_and_kind_of_key_verifies_and_is_named(form: str, name: str) -> None:
    result = only(judge(sign(a_card(), PRIVATE[name], form=form)))
    assert result.outcome == "verified"
    assert form in result.forms
    assert result.kid == name
    assert result.thumbprint == JWK(**PRIVATE[name]).thumbprint()


def test_signers_that_prune_nothing_verify_under_raw_alone() -> None:
    # A signer that kept `required: false` where the SDK that verifies drops it.
    assert only(judge(raw_signed())).forms == ("raw",)


def test_unsigned_cards_are_absent_however_they_say_it() -> None:
    for card in (a_card(), a_card(signatures=[]), a_card(signatures=None)):
        verification = judge(card)
        assert verification.outcome == "absent"
        assert verification.summary().outcome == "absent"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"kid": "ec"}, "bad-header"),
        ({"alg": 5, "kid": "ec"}, "bad-header"),
        ({"alg": "ES256", "kid": ["ec"]}, "bad-header"),
        ({"alg": "ES256", "kid": "ec", "jku": {}}, "bad-header"),
        (b'{"alg":"ES256","kid":"ec","kid":"ed"}', "bad-header"),
        (b"[]", "bad-header"),
        (b"\xff\xfe", "bad-header"),
        (b"", "bad-header"),
        ({"alg": "none", "kid": "ec"}, "alg-not-allowed"),
        ({"alg": "nOnE", "kid": "ec"}, "alg-not-allowed"),
        ({"alg": "HS256", "kid": "ec"}, "alg-not-allowed"),
        ({"alg": "ES256K", "kid": "ec"}, "alg-not-allowed"),
        ({"alg": "ES256", "kid": "ec", "b64": False, "crit": ["b64"]}, "b64"),
        ({"alg": "ES256", "kid": "ec", "crit": ["exp"], "exp": 1}, "crit-unknown"),
        ({"alg": "ES256", "kid": "ec", "crit": []}, "crit-unknown"),
        ({"alg": "ES256"}, "kid-missing"),
        ({"alg": "ES256", "kid": ""}, "kid-missing"),
        ({"alg": "ES256", "kid": "nobody"}, "unknown-kid"),
        ({"alg": "ES256", "kid": "nobody", "jku": "https://attacker.example/k"}, "untrusted-jku"),
        ({"alg": "ES256", "kid": "rsa"}, "alg-key-mismatch"),
        ({"alg": "EdDSA", "kid": "ec"}, "alg-key-mismatch"),
        ({"alg": "ES256", "kid": "ec2"}, "no-form-matches"),
    ],
)
def test_a_good_signature_under_a_bad_header_has_its_reason(header: bytes | dict[str, Any], expected: str) -> None:
    assert reason(raw_signed(header)) == expected


def test_the_unprotected_header_is_never_believed() -> None:
    assert reason(raw_signed({"alg": "ES256"}, header={"kid": "ec"})) == "kid-missing"
    assert reason(raw_signed({"kid": "ec"}, header={"alg": "ES256"})) == "bad-header"
    assert reason(raw_signed({"alg": "ES256", "kid": "x"}, header={"jku": "https://a.example"})) == "unknown-kid"
    assert only(judge(raw_signed(GOOD, header={"note": "hi"}))).outcome == "verified"


def test_an_unprotected_header_that_repeats_a_protected_name_is_refused_as_rfc_7515_demands() -> None:
    assert reason(raw_signed(GOOD, header={"kid": "other"})) == "bad-header"


def test_a_signature_hmacked_with_the_public_pem_is_refused() -> None:
    secret = JWK(**public("ec")).export_to_pem()
    card = with_signature(
        signed_over(
            raw_payload(a_card()),
            {"alg": "HS256", "kid": "ec"},
            lambda message: hmac.new(secret, message, hashlib.sha256).digest(),
        )
    )
    assert reason(card) == "alg-not-allowed"


def test_a_key_bound_to_one_algorithm_does_not_take_another() -> None:
    bound = key_set(public("rsa", alg="RS256"))
    assert only(judge(sign(a_card(), PRIVATE["rsa"], alg="RS256"), bound)).outcome == "verified"
    assert reason(sign(a_card(), PRIVATE["rsa"], alg="PS256"), bound) == "alg-key-mismatch"
    assert only(judge(sign(a_card(), PRIVATE["rsa"], alg="PS256"), ALL_KEYS)).outcome == "verified"


def test_a_der_signature_is_told_from_a_wrong_one() -> None:
    card = with_signature(signed_over(raw_payload(a_card()), GOOD, der))
    assert reason(card) == "der-signature"
    wrong = with_signature(signed_over(raw_payload(a_card()), GOOD, lambda message: es256(message + b"!")))
    assert reason(wrong) == "no-form-matches"


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("text", "malformed-signature"),
        (None, "malformed-signature"),
        ({}, "malformed-signature"),
        ({"protected": "e30", "signature": 5}, "malformed-signature"),
        ({"protected": "e30", "signature": "A" * 5000}, "malformed-signature"),
        ({"protected": b64(json.dumps(GOOD).encode()), "signature": ""}, "malformed-signature"),
        ({"protected": b64(json.dumps(GOOD).encode()), "signature": "AAAA"}, "malformed-signature"),
        ({"protected": b64(json.dumps(GOOD).encode()), "signature": "A"}, "malformed-base64"),
        ({"protected": "e30", "signature": "AA AA"}, "malformed-base64"),
        ({"protected": "é", "signature": "AAAA"}, "malformed-base64"),
        ({"protected": "e30", "signature": "AAAA", "header": 5}, "bad-header"),
    ],
)
def test_what_is_no_signature_object_has_its_reason(signature: Any, expected: str) -> None:
    assert reason(with_signature([signature])) == expected


def test_signatures_that_are_no_list_are_invalid_not_absent() -> None:
    assert judge(a_card(signatures="gone")).outcome == "invalid"
    assert judge(a_card(signatures={})).outcome == "invalid"


def test_another_spelling_of_a_signature_verifies_alike_with_the_same_identity() -> None:
    card = raw_signed()
    plain = only(judge(card))
    text = card["signatures"][0]["signature"]
    for spelling in (text + "==", text.replace("-", "+").replace("_", "/"), text[:-1] + chr(ord(text[-1]) + 1)):
        result = only(judge(raw_signed() | {"signatures": [card["signatures"][0] | {"signature": spelling}]}))
        assert (result.outcome, result.identity) == ("verified", plain.identity)
    assert (
        "base64-not-url-safe"
        in only(judge(card | {"signatures": [card["signatures"][0] | {"signature": text + "=="}]})).notes
    )


def test_spellings_of_one_signature_count_once() -> None:
    one = raw_signed()["signatures"][0]
    verification = judge(with_signature([one, one | {"signature": one["signature"] + "=="}] * 500))
    assert len(verification.signatures) == 1


def test_after_sixteen_signatures_nobody_looks_and_it_is_said() -> None:
    junk = [signed_over(b"x", GOOD | {"n": number}) for number in range(40)]
    verification = judge(with_signature(junk))
    assert len(verification.signatures) == 17
    assert verification.signatures[-1].reason == "too-many"
    assert judge(with_signature([*junk[:15], raw_signed()["signatures"][0]])).outcome == "verified"


def test_one_good_signature_is_enough_and_the_order_of_two_never_matters() -> None:
    rotated = sign(sign(a_card(), PRIVATE["ec"]), PRIVATE["ec2"])
    turned = rotated | {"signatures": rotated["signatures"][::-1]}
    assert judge(rotated).summary().signer == judge(turned).summary().signer
    retired = judge(rotated, key_set(public("ec", exp=1), public("ec2")))
    assert retired.outcome == "verified"
    assert [result.reason for result in retired.signatures] == ["key-expired", ""]
    assert retired.summary().kid == "ec2"


def test_keys_that_may_not_be_used_make_a_signature_unverifiable() -> None:
    at = int(NOW.timestamp())
    card = raw_signed()
    assert reason(card, key_set(public("ec", exp=at))) == "key-expired"
    assert reason(card, key_set(public("ec", nbf=at + 1))) == "key-not-yet-valid"
    assert reason(card, key_set(public("ec", revoked={"revoked_at": at}))) == "key-revoked"
    assert reason(card, key_set(public("ec")).revoking(["ec"], NOW)) == "key-revoked"
    assert reason(card, key_set(public("ec", use="enc"))) == "key-not-for-signing"
    assert reason(card, key_set({"kty": "oct", "k": "AAAA", "kid": "ec"})) == "key-not-for-signing"
    assert reason(card, key_set(public("ec", x=public("ed")["x"]))) == "key-malformed"
    assert reason(card, key_set(public("ec", x="A" * 43, y="A" * 43))) == "key-malformed"
    weak = sign(a_card(), PRIVATE["rsa"])
    assert reason(weak, key_set(public("rsa", n=public("rsa")["n"][:170]))) == "key-too-weak"


def test_a_key_that_expires_later_is_judged_again_at_its_time() -> None:
    keys = key_set(public("ec", exp=int(NOW.timestamp()) + 60))
    assert judge(raw_signed(), keys).outcome == "verified"
    assert judge(raw_signed(), keys, now=NOW + timedelta(seconds=60)).outcome == "unverifiable"


def test_a_jku_is_noted_and_never_needed() -> None:
    card = raw_signed(GOOD | {"jku": "https://attacker.example/jwks.json", "x5c": ["AAAA"], "jwk": public("ed")})
    result = only(judge(card))
    assert result.outcome == "verified"
    assert result.notes == ("jku-ignored", "jwk-ignored", "x5c-ignored")
    own = KeySet(sources=("https://rates.example/jwks.json",))
    assert reason(raw_signed({"alg": "ES256", "kid": "x", "jku": own.sources[0]}), own) == "unknown-kid"


def test_an_integer_beyond_the_doubles_is_unverifiable_and_explained() -> None:
    # A JavaScript signer rounds 9007199254740993 to …992 and signs that.
    card = a_card(capabilities={"extensions": [{"uri": "urn:x", "params": {"n": 9007199254740993}}]})
    payload = raw_payload(card).replace(b"9007199254740993", b"9007199254740992")
    result = only(judge(card | {"signatures": [signed_over(payload, GOOD)]}))
    assert (result.outcome, result.reason) == ("unverifiable", "number-range")
    assert "2^53" in result.hint


def test_a_huge_integer_outside_what_the_form_covers_does_not_matter() -> None:
    card = sign(a_card(), PRIVATE["ec"]) | {"x-counter": 2**60}
    result = only(judge(card))
    assert (result.outcome, result.form, result.uncovered) == ("verified", "spec_present", ("$['x-counter']",))


def test_members_added_by_a_hybrid_server_are_uncovered_and_explain_a_raw_mismatch() -> None:
    legacy = {"url": "https://rates.example/a2a", "preferredTransport": "JSONRPC", "protocolVersion": "0.3"}
    result = only(judge(sign(a_card(), PRIVATE["ec"]) | legacy))
    assert result.uncovered == ("$.url", "$.preferredTransport", "$.protocolVersion")
    mismatch = only(judge(raw_signed() | legacy))
    assert (mismatch.outcome, mismatch.reason) == ("invalid", "no-form-matches")
    assert [one.path for one in mismatch.differences] == ["$.url", "$.preferredTransport", "$.protocolVersion"]


def test_security_stripped_under_an_sdk_signature_still_verifies_and_is_named_as_uncovered() -> None:
    card = sign(a_card(), PRIVATE["ec"], form="sdk_pruned")
    del card["securityRequirements"], card["securitySchemes"]["m"]
    result = only(judge(card))
    assert (result.outcome, result.form) == ("verified", "sdk_pruned")
    assert set(SECURITY_MEMBERS) <= set(result.uncovered)
    assert (
        reason(sign(a_card(), PRIVATE["ec"], form="spec_present") | {"securityRequirements": []}) == "no-form-matches"
    )


def test_where_forms_agree_security_is_uncovered_all_the_same() -> None:
    # Had the signer pruned, an attacker could have removed what would make the forms differ.
    card = a_card(capabilities={"streaming": True}, skills=[], securityRequirements=[], securitySchemes={})
    del card["skills"], card["securityRequirements"], card["securitySchemes"]
    result = only(judge(sign(card, PRIVATE["ec"], form="raw")))
    assert {"raw", "sdk_pruned"} < set(result.forms)
    assert set(SECURITY_MEMBERS) <= set(result.uncovered)


def test_a_legacy_card_is_tried_under_its_raw_form_only() -> None:
    card = {"name": "Old", "url": "https://old.example/a2a", "protocolVersion": "0.3.0", "version": "1", "skills": []}
    assert only(judge(sign(card, PRIVATE["ec"], form="raw"))).forms == ("raw",)
    pruned = canonical_form(card, "sdk_pruned").payload
    assert reason(card | {"signatures": [signed_over(pruned, GOOD)]}) == "no-form-matches"


def test_findings_carry_a_place_and_what_to_do() -> None:
    card = raw_signed({"alg": "none", "kid": "evil\u202e", "jku": "https://a.example"})
    data = json.dumps(card, indent=1).encode()
    document = parse(data)
    invalid, note = signature_findings(verify(data, document, ALL_KEYS, now=NOW), document)
    assert (invalid.code, invalid.level, invalid.path) == ("CT200", "error", "$.signatures[0]")
    assert invalid.line > 1
    assert "\u202e" not in invalid.message
    assert "ES256" in invalid.hint
    assert note.message == "jku ignored"
    assert signature_findings(judge(a_card()), document) == ()


@given(bit=st.integers(0), form=st.sampled_from(FORMS))
def test_any_flipped_bit_in_a_covered_member_ends_the_verification(bit: int, form: str) -> None:
    card = sign(a_card(), PRIVATE["ec"], form=form)
    text = card["description"].encode()
    at = bit % (len(text) * 7)
    flipped = bytearray(text)
    flipped[at // 7] ^= 1 << (at % 7)
    assert judge(card | {"description": flipped.decode()}).outcome == "invalid"


LEAVES = st.sampled_from(
    [("name",), ("version",), ("supportedInterfaces", 0, "url"), ("skills", 0, "name"), ("capabilities", "streaming")]
)


@given(
    leaf=LEAVES,
    value=st.text("abé", max_size=5) | st.booleans() | st.none() | st.integers(0, 9),
    form=st.sampled_from(FORMS),
)
def test_any_other_value_in_a_covered_member_ends_the_verification(
    leaf: tuple[Any, ...], value: Any, form: str
) -> None:
    card = json.loads(json.dumps(sign(a_card(), PRIVATE["ec"], form=form)))
    holder = card
    for step in leaf[:-1]:
        holder = holder[step]
    if holder[leaf[-1]] is value:
        return
    holder[leaf[-1]] = value
    assert judge(card).outcome != "verified"


PARAMETERS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3), max_size=2)
HEADERS = st.dictionaries(st.sampled_from(["alg", "kid", "crit", "b64", "jku", "typ"]), PARAMETERS)


@given(header=st.binary(max_size=80) | HEADERS.map(lambda header: json.dumps(header).encode()))
def test_no_protected_header_of_any_shape_makes_verification_fail(header: bytes) -> None:
    result = only(judge(with_signature({"protected": b64(header), "signature": b64(bytes(64))})))
    assert result.reason in REASONS


RAW_SIGNED = raw_signed()


@given(position=st.integers(0), bit=st.integers(0, 7))
def test_no_flipped_bit_in_a_good_protected_header_or_signature_leaves_it_good(position: int, bit: int) -> None:
    good = RAW_SIGNED["signatures"][0]
    text = (good["protected"] + "." + good["signature"]).encode()
    broken = bytearray(text)
    broken[position % len(text)] ^= 1 << bit
    protected, _, signature = broken.decode("latin-1").partition(".")
    result = only(judge(with_signature({"protected": protected, "signature": signature})))
    if result.outcome == "verified":
        assert result.identity == only(judge(RAW_SIGNED)).identity


def test_an_unchanged_card_loses_its_outcome_when_its_key_does() -> None:
    known = judge(RAW_SIGNED).summary()
    assert reverify(known, ALL_KEYS, NOW) == known
    expired = reverify(known, key_set(public("ec", exp=int(NOW.timestamp()))), NOW)
    assert (expired.outcome, expired.reason, expired.signer) == ("unverifiable", "key-expired", None)
    assert reverify(known, key_set(public("ed")), NOW).reason == "unknown-kid"
    absent = judge(a_card()).summary()
    assert reverify(absent, KeySet(), NOW) == absent


def test_every_good_signature_is_named_and_one_is_forgotten_with_its_key() -> None:
    card = sign(sign(a_card(), PRIVATE["ec"]), PRIVATE["ed"])
    known = judge(card).summary()
    assert sorted(known.signers.values()) == ["ec", "ed"]
    assert known.signer in known.signers
    left = reverify(known, key_set(public(known.kid or "")), NOW)
    assert (left.outcome, left.signers) == ("verified", {known.signer: known.kid})
