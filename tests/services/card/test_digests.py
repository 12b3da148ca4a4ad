"""What changes a digest and, more important, what never does."""

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.events.canonical import digest
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.services.card.digests import (
    identity_digest,
    profile_digest,
    semantic_digest,
    signatures_digest,
    texts_digest,
)
from cardtrail.services.card.identify import identify
from cardtrail.services.card.json_digest import in_order, json_digest, plain_digest
from tests.services.card.cards import FULL, MINIMAL, OAUTH, V01, V03, changed, interface, lifted, profile, skill

CARDS = (MINIMAL, FULL, V03, V01)
words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20)


def profiled(card: Any) -> str:
    return profile_digest(profile(card))


def reordered(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict):
        names = list(value)
        rng.shuffle(names)
        return {name: reordered(value[name], rng) for name in names}
    return [reordered(item, rng) for item in value] if isinstance(value, list) else value


@given(st.sampled_from(CARDS), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_members_changes_no_digest(card: Any, rng: random.Random) -> None:
    moved = reordered(card, rng)
    assert profiled(moved) == profiled(card)
    assert semantic_digest(moved) == semantic_digest(card)
    assert texts_digest(lifted(moved)) == texts_digest(lifted(card))
    assert identity_digest(identify(lifted(moved))) == identity_digest(identify(lifted(card)))


@given(st.sampled_from(CARDS), words, words, st.lists(words, max_size=3))
@settings(max_examples=60)
def test_prose_never_changes_the_profile_digest(card: Any, name: str, description: str, examples: list[str]) -> None:
    reworded = copy.deepcopy(card)
    reworded |= {"name": name, "description": description, "version": name, "iconUrl": "https://i.example/x.png"}
    reworded |= {
        "documentationUrl": description,
        "provider": {"organization": name, "url": name},
        "privateMember": name,
    }
    for one in reworded["skills"]:
        one |= {"name": name, "description": description, "examples": examples}
    assert profiled(reworded) == profiled(card)


@given(st.permutations(range(4)), st.permutations(range(3)))
@settings(max_examples=40)
def test_the_order_of_sets_changes_no_profile_digest(modes: list[int], rest: list[int]) -> None:
    names = ["a/b", "c/d", "e/f", "g/h"]
    card = changed(
        MINIMAL,
        defaultInputModes=[names[i] for i in modes],
        capabilities={"extensions": [{"uri": f"u:{i}"} for i in rest]},
        securitySchemes={"a": OAUTH, "b": OAUTH, "c": OAUTH},
        securityRequirements=[{"schemes": {"abc"[i]: {"list": []}}} for i in rest],
        skills=[skill(id=str(i), tags=["x", "y"]) for i in rest],
    )
    plain = changed(
        card,
        defaultInputModes=names,
        capabilities={"extensions": [{"uri": f"u:{i}"} for i in range(3)]},
        securityRequirements=[{"schemes": {name: {"list": []}}} for name in "abc"],
        skills=[skill(id=str(i), tags=["y", "x"]) for i in range(3)],
    )
    assert profiled(card) == profiled(plain)


@pytest.mark.parametrize(
    "url",
    [
        "https://Rates.Example/a2a",
        "HTTPS://rates.example:443/a2a",
        "https://rates.example./a2a",
        "https://rates.example/%61%32a",
        "https://rates.example/x/../a2a",
        "https://rates.example/./a2a",
    ],
)
def test_another_spelling_of_a_url_is_no_change_and_the_card_keeps_its_own(url: str) -> None:
    card = changed(MINIMAL, supportedInterfaces=[interface(url=url)])
    assert profiled(card) == profiled(MINIMAL)
    assert profile(card).interface.url == url  # type: ignore[union-attr]


def test_an_empty_path_is_a_slash() -> None:
    bare, slash = (
        changed(MINIMAL, supportedInterfaces=[interface(url=f"https://h.example{end}")]) for end in ("", "/")
    )
    assert profiled(bare) == profiled(slash)


CHANGES: list[Any] = [
    changed(MINIMAL, supportedInterfaces=[interface(url="https://rates.example/a2a/")]),
    changed(MINIMAL, supportedInterfaces=[interface(url="https://rates.example:8443/a2a")]),
    changed(MINIMAL, supportedInterfaces=[interface(url="http://rates.example/a2a")]),
    changed(MINIMAL, supportedInterfaces=[interface(url="https://rates.example/A2A")]),
    changed(MINIMAL, supportedInterfaces=[interface(url="https://rates.example/a2a?x=1")]),
    changed(MINIMAL, supportedInterfaces=[interface(url="https://rates.example/a%2fa")]),
    changed(MINIMAL, supportedInterfaces=[interface(tenant="t")]),
    changed(MINIMAL, supportedInterfaces=[interface(protocolVersion="0.3")]),
    changed(MINIMAL, supportedInterfaces=[interface(), interface(protocolVersion="0.3")]),
    changed(MINIMAL, supportedInterfaces=[interface(protocolVersion="0.3"), interface()]),
    changed(MINIMAL, capabilities={"streaming": True}),
    changed(MINIMAL, capabilities={"pushNotifications": True}),
    changed(MINIMAL, capabilities={"extendedAgentCard": True}),
    changed(MINIMAL, capabilities={"extensions": [{"uri": "u:x"}]}),
    changed(MINIMAL, capabilities={"extensions": [{"uri": "u:x", "required": True}]}),
    changed(MINIMAL, capabilities={"extensions": [{"uri": "u:x", "params": {}}]}),
    changed(MINIMAL, capabilities={"extensions": [{"uri": "u:x", "params": {"a": 1.0}}]}),
    changed(MINIMAL, defaultInputModes=["text/plain"]),
    changed(MINIMAL, defaultOutputModes=["text/plain"]),
    changed(MINIMAL, skills=[skill(inputModes=["a/b"])]),
    changed(MINIMAL, skills=[skill(outputModes=["a/b"])]),
    changed(MINIMAL, skills=[skill(outputModes=["a/b;q=1"])]),
    changed(MINIMAL, skills=[skill(id="other")]),
    changed(MINIMAL, skills=[skill(tags=["other"])]),
    changed(MINIMAL, securitySchemes={"s": OAUTH}),
    changed(MINIMAL, securitySchemes={"s": OAUTH}, securityRequirements=[{"schemes": {"s": {"list": []}}}]),
    changed(MINIMAL, securitySchemes={"s": OAUTH}, securityRequirements=[{"schemes": {"s": {"list": ["quote"]}}}]),
    changed(MINIMAL, securitySchemes={"s": OAUTH}, securityRequirements=[{}]),
    changed(MINIMAL, securitySchemes={"s": OAUTH}, skills=[skill(securityRequirements=[{}])]),
    changed(MINIMAL, securitySchemes={"s": json.loads(json.dumps(OAUTH).replace("auth.example", "evil.example"))}),
]


def test_everything_that_decides_a_call_changes_the_profile_digest() -> None:
    digests = [profiled(card) for card in (MINIMAL, *CHANGES)]
    assert len(set(digests)) == len(digests)


def test_media_types_have_no_case_but_parameters_have() -> None:
    upper = changed(MINIMAL, defaultInputModes=["Application/JSON"])
    assert profiled(upper) == profiled(MINIMAL)
    one, other = (changed(MINIMAL, defaultInputModes=[f"a/b;profile={p}"]) for p in ("x", "X"))
    assert profiled(one) != profiled(other)


def test_the_generation_alone_changes_no_profile_digest() -> None:
    newer = changed(
        MINIMAL,
        supportedInterfaces=[
            interface(protocolVersion="0.3"),
            interface(url="https://rates.example/rest", protocolBinding="HTTP+JSON", protocolVersion="0.3.0"),
        ],
        capabilities={"streaming": True, "extendedAgentCard": True},
        securitySchemes={"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
        securityRequirements=[{"schemes": {"key": {"list": []}}}],
    )
    assert profiled(newer) == profiled(V03)


names = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
plain_values = st.recursive(
    st.none() | st.booleans() | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
)


def sorted_throughout(value: Any) -> Any:
    if isinstance(value, dict):
        return in_order({name: sorted_throughout(item) for name, item in value.items()})
    return [sorted_throughout(item) for item in value] if isinstance(value, list) else value


@given(plain_values)
@settings(max_examples=200)
def test_the_fast_digest_is_the_canonical_one(value: Any) -> None:
    assert plain_digest(sorted_throughout(value)) == json_digest(value) == digest(value)


def test_names_sort_by_utf16_unit() -> None:
    assert list(in_order({"\ufb33": 1, "\U0001f600": 2, "a": 3})) == ["a", "\U0001f600", "\ufb33"]


def test_the_semantic_digest_ignores_signatures_unknown_members_nulls_and_spelling() -> None:
    same = changed(MINIMAL, signatures=[{"protected": "a", "signature": "b"}], homepage="x", iconUrl=None)
    same["skills"][0]["price"] = 3
    assert semantic_digest(same) == semantic_digest(MINIMAL)
    spelled = changed(MINIMAL, defaultInputModes=..., default_input_modes=["application/json"])
    assert semantic_digest(spelled) == semantic_digest(MINIMAL)
    assert semantic_digest(changed(MINIMAL, description="Other")) != semantic_digest(MINIMAL)
    params = changed(MINIMAL, capabilities={"extensions": [{"uri": "u:x", "params": {"unknown": 1}}]})
    assert semantic_digest(params) != semantic_digest(
        changed(params, capabilities={"extensions": [{"uri": "u:x", "params": {}}]})
    )
    assert semantic_digest([]).startswith("sha256:")


KEYS = ({"k": "a"}, {"k": "a", "l": "b"})


def test_the_identity_digest_follows_name_version_provider_signer_and_what_texts_hide() -> None:
    base = identity_digest(identify(lifted(FULL)))
    for card in (
        changed(FULL, name="Other"),
        changed(FULL, version="4"),
        changed(FULL, provider={"organization": "Other", "url": "https://partner.example"}),
        changed(FULL, description="a\u202eb"),
    ):
        assert identity_digest(identify(lifted(card))) != base
    assert identity_digest(identify(lifted(FULL), SignatureSummary(outcome="verified", signer="k", form="raw"))) != base
    one, two = (identify(lifted(FULL), SignatureSummary(outcome="verified", signer="k", signers=keys)) for keys in KEYS)
    assert identity_digest(one) != identity_digest(two)
    moved = changed(FULL, description="a\u202eb")
    there = changed(FULL, description="a", skills=[skill(description="x\u202e")])
    assert identity_digest(identify(lifted(moved))) == identity_digest(identify(lifted(there)))


def test_a_pruned_form_does_not_cover_security_members() -> None:
    def covers(card: Any, form: str, *uncovered: str) -> bool:
        summary = SignatureSummary(outcome="verified", form=form, uncovered=uncovered)
        return identify(lifted(card), summary).covers_security

    assert covers(FULL, "raw")
    assert not covers(FULL, "sdk_pruned")
    assert covers(MINIMAL, "sdk_pruned")
    assert not covers(MINIMAL, "spec_present", "$.securitySchemes")


def test_signing_again_changes_only_the_signatures_digest() -> None:
    one, other = (changed(FULL, signatures=[{"protected": "p", "signature": s}]) for s in ("x", "y"))
    assert signatures_digest(lifted(one).signatures) != signatures_digest(lifted(other).signatures)
    assert profiled(one) == profiled(other) == profiled(FULL)
    assert semantic_digest(one) == semantic_digest(other)
    two = changed(FULL, signatures=[{"protected": "p", "signature": s} for s in ("x", "y")])
    back = changed(FULL, signatures=[{"protected": "p", "signature": s} for s in ("y", "x", "y")])
    assert signatures_digest(lifted(two).signatures) == signatures_digest(lifted(back).signatures)
