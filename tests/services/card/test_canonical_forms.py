"""The five canonical forms: exact bytes against published vectors, the table against the proto, and the laws of JCS."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.errors import InputRefused
from cardtrail.services.card.canonical_forms import FORMS, SECURITY_MEMBERS, canonical_form
from cardtrail.services.card.card_fields import FIELDS
from cardtrail.services.card.parse import parse
from tests.services.card.signers import a_card

SHARED = os.environ.get("CARDTRAIL_SHARED")
needs_vectors = pytest.mark.skipif(SHARED is None, reason="CARDTRAIL_SHARED names no folder of vectors")
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=8)
JSON_VALUES = st.recursive(
    SCALARS | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


def shared(name: str) -> Any:
    return json.loads((Path(SHARED or "") / "spec" / name).read_bytes())


def with_params(**params: Any) -> dict[str, Any]:
    return a_card(capabilities={"extensions": [{"uri": "urn:x", "params": params}]})


def params_of(form: str, **params: Any) -> str:
    return canonical_form({"capabilities": {"extensions": [{"params": params}]}}, form).payload.decode()


@needs_vectors
def test_every_vector_gives_the_same_bytes_and_digest_under_every_form() -> None:
    vectors = shared("canonicalization-vectors.json")["vectors"]
    compared = [
        (vector["id"], form, canonical_form(vector["card"], form).payload, vector["canonical"][form])
        for vector in vectors
        for form in FORMS
    ]
    assert len(compared) == 65
    assert [(i, f) for i, f, got, want in compared if got != want["text"].encode()] == []
    assert [(i, f) for i, f, got, want in compared if hashlib.sha256(got).hexdigest() != want["sha256"]] == []


@needs_vectors
def test_the_table_of_card_members_is_that_of_the_proto() -> None:
    table = shared("a2a-1.0-proto-table.json")
    wanted = {m["message"]: m["fields"] for m in table["messages"] if m["message"] in table["agentCardMessages"]}
    assert FIELDS.keys() == wanted.keys()
    for message, fields in wanted.items():
        theirs = {(f["jsonName"], f["name"], f["kind"], f["required"], f["optionalKeyword"]) for f in fields}
        assert {(f.json_name, f.proto_name, f.kind, f.required, f.optional) for f in FIELDS[message]} == theirs
        types = {f["jsonName"]: f["type"].removesuffix(">").split(",")[-1].split(".")[-1] for f in fields}
        assert {f.json_name: f.type for f in FIELDS[message]} == types


def test_a_streaming_flag_that_is_false_stays_in_every_form() -> None:
    for form in FORMS:
        assert b'"streaming":false' in canonical_form(a_card(), form).payload


def test_the_spec_form_keeps_empty_required_members_and_the_sdk_form_drops_them() -> None:
    skill = canonical_form(a_card(), "spec_present").payload
    assert b'{"description":"","id":"quote","name":"Quote","tags":[]}' in skill
    assert b'{"id":"quote","name":"Quote"}' in canonical_form(a_card(), "sdk_pruned").payload


def test_the_filled_form_adds_absent_required_members_at_every_depth() -> None:
    card = {"provider": {"url": "https://p.example"}, "skills": [{"id": "x"}]}
    payload = json.loads(canonical_form(card, "spec_filled").payload)
    assert payload["provider"] == {"url": "https://p.example", "organization": ""}
    assert payload["skills"] == [{"id": "x", "name": "", "description": "", "tags": []}]
    assert payload["capabilities"] == {}


def test_supplementary_plane_keys_sort_by_utf16_and_in_the_old_python_form_by_code_point() -> None:
    params = {"\ufb33": 1, "\U0001f600": 2}
    assert params_of("raw", **params).index("\U0001f600") < params_of("raw", **params).index("\ufb33")
    legacy = params_of("sdk_python_legacy", **params)
    assert legacy.index("\\ufb33") < legacy.index("\\ud83d\\ude00")


@pytest.mark.parametrize(
    ("text", "jcs", "python"),
    [
        ("1e21", "1e+21", "1e+21"),
        ("1e-7", "1e-7", "1e-07"),
        ("-0.0", "0", "-0.0"),
        ("1e16", "10000000000000000", "1e+16"),
        ("4.50", "4.5", "4.5"),
        ("7", "7", "7.0"),
        ("9007199254740991", "9007199254740991", "9007199254740991.0"),
    ],
)
def test_numbers_have_their_exact_text(text: str, jcs: str, python: str) -> None:
    value = parse(f'{{"n": {text}}}'.encode()).value
    assert f'"n":{jcs}}}' in params_of("raw", **value)
    assert f'"n":{jcs}}}' in params_of("sdk_pruned", **value)
    assert f'"n":{python}}}' in params_of("sdk_python_legacy", **value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", [2**53, -(2**53), 9007199254740993])
def test_an_integer_beyond_the_doubles_is_refused_by_name(form: str, number: int) -> None:
    with pytest.raises(InputRefused) as refused:
        canonical_form(with_params(n=number), form)
    assert refused.value.code == "number-range"


@pytest.mark.parametrize("form", FORMS)
def test_a_bottomless_card_and_a_lone_surrogate_are_refused_and_nothing_else_escapes(form: str) -> None:
    deep: Any = {}
    for _ in range(2000):
        deep = {"a": [deep]}
    with pytest.raises(InputRefused, match="deeper"):
        canonical_form(with_params(a=deep), form)
    with pytest.raises(InputRefused) as refused:
        canonical_form(a_card(name="\ud800"), form)
    assert refused.value.code == "not-unicode"


def test_values_of_the_wrong_type_stay_in_the_bytes_instead_of_vanishing() -> None:
    for form in FORMS:
        assert b'"securityRequirements":5' in canonical_form(a_card(securityRequirements=5), form).payload
        assert b'"skills":["x"]' in canonical_form(a_card(skills=["x"]), form).payload


def test_a_snake_case_spelling_counts_as_the_member_and_two_that_disagree_both_stay() -> None:
    card = {"default_input_modes": ["a"]}
    assert canonical_form(card, "spec_present").payload == b'{"defaultInputModes":["a"]}'
    both = canonical_form(card | {"defaultInputModes": ["b"]}, "spec_present").payload
    assert b'["a"]' in both
    assert b'["b"]' in both


def test_unknown_members_and_pruned_params_are_listed_as_uncovered() -> None:
    card = with_params(kept=1, gone="") | {"url": "https://x.example", "odd name": 1}
    assert canonical_form(card, "spec_present").uncovered == ("$.url", "$['odd name']")
    pruned = canonical_form(card, "sdk_pruned").uncovered
    assert set(SECURITY_MEMBERS) < set(pruned)
    assert "$.capabilities.extensions[0].params.gone" in pruned
    assert canonical_form(card, "raw").uncovered == ()


@given(params=st.dictionaries(TEXTS, JSON_VALUES, max_size=4))
def test_reading_and_writing_the_json_again_never_changes_a_form(params: dict[str, Any]) -> None:
    card = with_params(**params)
    again = parse(json.dumps(card, ensure_ascii=True, indent=3).encode()).value
    for form in FORMS:
        assert canonical_form(again, form) == canonical_form(card, form)


@given(card=st.dictionaries(st.sampled_from(sorted(f.json_name for f in FIELDS["AgentCard"])), JSON_VALUES, max_size=5))
def test_no_shape_of_card_makes_a_form_fail(card: dict[str, Any]) -> None:
    for form in FORMS:
        assert canonical_form(card, form).payload
