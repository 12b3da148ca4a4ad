"""Real cards, read where they lie: nothing raises, and what is said of them agrees with their hand-made index."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, semantic_digest, texts_digest
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import CardReading, read_card
from tests.services.card.cards import CLIENT, validated

pytestmark = pytest.mark.skipif(
    "CARDTRAIL_SHARED" not in os.environ, reason="CARDTRAIL_SHARED names no folder of cards"
)
CORPUS = Path(os.environ.get("CARDTRAIL_SHARED", "nowhere")) / "corpus"
INDEX: dict[str, dict[str, Any]] = (
    {row["id"]: row for row in map(json.loads, (CORPUS / "cards.jsonl").read_text("utf-8").splitlines())}
    if CORPUS.exists()
    else {}
)
SHAPES = {"0.2": {"0.1", "0.2"}, "0.3": {"0.3"}, "1.0": {"1.0"}, "mixed": {"hybrid"}}
NO_LIST_OF_SKILLS = {"011", "233"}  # a text and an object: no convention lifts them
WITHOUT_0X_MEMBERS = {"045", "070"}  # the index calls an incomplete 1.0 interface mixed

CODES: dict[str, set[str]] = {
    "top-level-url": {"CT080", "CT081", "CT082"},
    "modes-not-mime": {"CT062", "CT012", "CT006"},
    "localhost-url": {"CT028"},
    "relative-or-schemeless-url": {"CT026", "CT025"},
    "si-no-protocolVersion": {"CT010"},
    "si-no-protocolBinding": {"CT010"},
    "si-no-protocolBinding(transport used)": {"CT024"},
    "si-version-not-major.minor": {"CT019"},
    "pv-nonexistent": {"CT022"},
    "preferredTransport-nonstandard": {"CT017", "CT018", "CT082"},
    "skill-no-tags": {"CT010"},
    "skill-no-description": {"CT010"},
    "skill-no-id": {"CT061"},
    "skill-tags-empty": {"CT011"},
    "skill-extra-keys": {"CT005"},
    "skills-empty": {"CT011"},
    "missing-defaultInputModes": {"CT010"},
    "missing-defaultOutputModes": {"CT010"},
    "missing-capabilities": {"CT010"},
    "missing-version": {"CT010"},
    "cap-streaming-not-bool": {"CT015"},
    "cap-pushNotifications-not-bool": {"CT015"},
    "capabilities-extra-keys": {"CT005"},
    "capabilities-is-list": {"CT014"},
    "provider-no-organization": {"CT010"},
    "provider-is-string": {"CT013"},
    "pv-1.x-in-0.3-shape": {"CT084"},
    "securityRequirements-OpenAPI-style": {"CT048"},
    "schemes-declared-but-not-required": {"CT041"},
    "signature-not-JWS-form": {"CT085"},
    "snake_case": {"CT003"},
    "defaultOutputModes-not-array": {"CT012"},
    "top-level-extensions": {"CT005"},
    "supportsExtendedAgentCard(never in any spec)": {"CT081", "CT082", "CT083", "CT080"},
}
NOT_REQUIRED = {
    "0.1": {"skill-no-tags", "skill-no-description", "missing-defaultInputModes", "missing-defaultOutputModes"},
    "0.2": {"skill-tags-empty", "skills-empty"},
    "0.3": {"skill-tags-empty", "skills-empty"},
}
"""What the index measures by 1.0 and the card's own generation allows."""

INSIDE_AN_UNKNOWN_MEMBER = {"245": {"snake_case"}}
MIRRORED = {
    "CT014": ("capabilities-is-list",),
    "CT015": ("-not-bool",),
    "CT003": ("snake_case",),
    "CT028": ("localhost-url", "relative-or-schemeless-url"),
    "CT061": ("skill-no-id",),
}


def cards() -> list[str]:
    return sorted(INDEX)


def reading(card: str) -> CardReading:
    return read_card((CORPUS / "cards" / f"{card}.json").read_bytes())


def oddities(card: str) -> list[str]:
    return [
        oddity if "(" in oddity and not oddity.startswith("extra") else oddity.partition(":")[0]
        for oddity in INDEX[card]["oddities"]
    ]


@pytest.mark.parametrize("card", cards())
def test_a_real_card_is_read_compiled_and_digested_without_an_exception(card: str) -> None:
    result = reading(card)
    assert (result.card is None) is (result.refusal is not None)
    assert all(one.line > 0 for one in result.diagnostics)
    if result.card is None:
        assert result.refusal is not None
        assert result.refusal.line > 0
        return
    assert result.document is not None
    profile = compile_profile(result.card, CLIENT)
    assert profile_digest(profile) == profile_digest(compile_profile(result.card, CLIENT))
    assert validated(result.card) == result.card
    assert validated(profile) == profile
    assert identify(result.card).name == result.card.name
    assert semantic_digest(result.document.value) != texts_digest(result.card)


@pytest.mark.parametrize("card", cards())
def test_the_shape_agrees_with_the_index(card: str) -> None:
    generation, result = INDEX[card]["generation"], reading(card)
    if generation in ("not-a-card", "unknown"):
        assert result.card is None
        assert result.shape == "not-a-card"
    elif card in WITHOUT_0X_MEMBERS:
        assert result.shape == "1.0"
    else:
        assert result.shape in SHAPES[generation]


@pytest.mark.parametrize("card", cards())
def test_json_that_the_index_could_parse_is_parsed(card: str) -> None:
    result = reading(card)
    assert INDEX[card]["parse_ok"] is (result.document is not None)
    if result.document is None:
        assert result.refusal is not None
        assert result.refusal.code == "json-syntax"


@pytest.mark.parametrize("card", cards())
def test_the_number_of_skills_agrees(card: str) -> None:
    result = reading(card)
    if result.card is not None:
        assert len(result.card.skills) == INDEX[card]["n_skills"]
        malformed = "signature-not-JWS-form" in oddities(card)
        assert bool(result.card.signatures) is (INDEX[card]["has_signatures"] and not malformed)
        assert result.card.version == (INDEX[card]["declared_version"] or "")
    elif INDEX[card]["generation"] not in ("not-a-card", "unknown"):
        assert card in NO_LIST_OF_SKILLS


@pytest.mark.parametrize("card", cards())
def test_every_oddity_of_the_index_has_its_finding(card: str) -> None:
    result = reading(card)
    if result.card is None:
        return
    found = {one.code for one in result.diagnostics}
    allowed = NOT_REQUIRED.get(result.shape, set()) | INSIDE_AN_UNKNOWN_MEMBER.get(card, set())
    silent = [o for o in oddities(card) if o in CODES and not CODES[o] & found and o not in allowed]
    assert silent == []


@pytest.mark.parametrize("card", cards())
def test_the_index_knows_of_every_such_finding(card: str) -> None:
    known = " ".join(INDEX[card]["oddities"])
    for one in reading(card).diagnostics:
        if one.code in MIRRORED:
            assert any(oddity in known for oddity in MIRRORED[one.code]), one


def _histories() -> list[Path]:
    return sorted((CORPUS / "histories").glob("*/*.json")) if INDEX else []


def test_every_version_of_every_history_is_read_without_an_exception() -> None:
    refused: dict[str, int] = {}
    files = [path for path in _histories() if path.name != "history.json"]
    for path in files:
        result = read_card(path.read_bytes())
        if result.card is None:
            assert result.refusal is not None
            refused[result.refusal.code] = refused.get(result.refusal.code, 0) + 1
        else:
            profile_digest(compile_profile(result.card, CLIENT))
    assert len(files) > 400
    assert set(refused) <= {
        "json-syntax",
        "no-endpoint",
        "not-a-card",
        "wrong-type",
        "json-duplicate-member",
        "card-unreadable",
    }


def test_an_official_sample_card_has_no_error() -> None:
    official = [
        row["id"]
        for row in INDEX.values()
        if row["repo"].startswith("a2aproject/a2a-samples") and row["generation"] == "1.0"
    ]
    assert official
    errors = {card: [one.code for one in reading(card).diagnostics if one.level == "error"] for card in official}
    assert errors == {card: [] for card in official}
