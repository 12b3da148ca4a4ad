"""What holds for every card, lock and order: laws of the judge."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.services.verdict.diff import diff
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.lock import read_lock, sealed, write_lock
from cardtrail.services.verdict.pin import pin
from cardtrail.services.verdict.view import Baseline, Judgement, Observed
from tests.services.verdict.cards import CARD, HTTP, JSONRPC, POLICY, changed, encoded, reading, turned
from tests.services.verdict.rule_cases import NOW, seen

FEW = settings(max_examples=40)
RANK = {"compatible": 0, "review": 1, "breaking": 2}
WORDS = st.text(st.characters(codec="ascii", categories=("L", "N", "Zs")), max_size=30)
MODES = st.lists(st.sampled_from(["text/plain", "text", "application/json", "JSON", "image/png; q=1"]), max_size=4)
OAUTH = CARD["securityRequirements"][0]
SKILLS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b", "c.d", "é", "itinerary-pricing"]), "name": WORDS, "tags": st.just(["t"])},
        optional={
            "inputModes": MODES,
            "outputModes": MODES,
            "securityRequirements": st.lists(st.just(OAUTH), max_size=1),
        },
    ),
    unique_by=lambda skill: skill["id"],
    max_size=4,
)
CARDS = st.builds(
    lambda skills, streaming, push, interfaces, required, defaults: changed(
        {
            "securitySchemes/key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
            "skills": skills,
            "capabilities": {"streaming": streaming, "pushNotifications": push},
            "supportedInterfaces": interfaces,
            "securityRequirements": [OAUTH] if required else [],
            "defaultInputModes": defaults,
        }
    ),
    SKILLS,
    st.booleans(),
    st.booleans(),
    st.sampled_from([[JSONRPC], [HTTP], [JSONRPC, HTTP], [HTTP, {**JSONRPC, "tenant": "acme"}]]),
    st.booleans(),
    MODES,
)


def everything(card: dict[str, Any], *, with_baseline: bool = True):  # noqa: ANN201 — a lock and what it saw
    known = seen(encoded(card), POLICY)
    lock = pin(
        known["profile"],
        known["identity"],
        workflow="w",
        agent="a",
        everything=True,
        card_digest="sha256:" + "0" * 64,
        texts_digest=known["texts_digest"],
        now=NOW,
        with_baseline=with_baseline,
    )
    return lock, known


def against(lock: Any, card: dict[str, Any]) -> Judgement:
    return judge(lock, Baseline(), Observed(**seen(encoded(card), POLICY)), POLICY, NOW)


def reworded(card: dict[str, Any], words: str) -> dict[str, Any]:
    skills = [{**skill, "name": words, "description": words, "examples": [words]} for skill in card["skills"]]
    return {**card, "description": words, "skills": skills, "x-internal": words}


@FEW
@given(CARDS, WORDS)
def test_a_card_that_was_only_reworded_and_reordered_is_compatible(card: dict[str, Any], words: str) -> None:
    moved = turned(reworded(card, words))
    moved["skills"] = list(reversed(moved["skills"]))
    judgement = diff(reading(card), reading(moved))
    assert judgement.verdict == "compatible"
    assert {finding.rule for finding in judgement.findings} <= {"card-text-changed"}


@FEW
@given(CARDS)
def test_a_lock_pinned_from_a_card_finds_that_card_compatible(card: dict[str, Any]) -> None:
    for with_baseline in (True, False):
        lock, _ = everything(card, with_baseline=with_baseline)
        assert against(lock, card).findings == ()


@FEW
@given(CARDS, CARDS, SKILLS)
def test_a_skill_more_never_makes_a_verdict_worse(old: dict[str, Any], new: dict[str, Any], more: list[Any]) -> None:
    lock, _ = everything(old)
    known = {skill["id"] for skill in new["skills"]}
    wider = {**new, "skills": [*new["skills"], *(skill for skill in more if skill["id"] not in known)]}
    assert RANK[against(lock, wider).verdict] <= RANK[against(lock, new).verdict]


@FEW
@given(CARDS, CARDS)
def test_findings_and_fingerprints_do_not_depend_on_the_order_of_anything_unordered(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    lock, _ = everything(old)
    moved = turned(new)
    moved["skills"] = [
        {name: list(reversed(v)) if isinstance(v, list) else v for name, v in skill.items()}
        for skill in reversed(moved["skills"])
    ]
    one, other = against(lock, new), against(lock, moved)
    assert [finding.fingerprint for finding in one.findings] == [finding.fingerprint for finding in other.findings]


@FEW
@given(CARDS, CARDS)
def test_notes_never_cause_a_verdict(old: dict[str, Any], new: dict[str, Any]) -> None:
    lock, _ = everything(old)
    judgement = against(lock, new)
    graver = {finding.severity for finding in judgement.findings} - {"note"}
    assert (judgement.verdict == "compatible") is (graver == set())
    assert judgement.action == {"compatible": "allow", "review": "probe", "breaking": "stop"}[judgement.verdict]


@FEW
@given(CARDS)
def test_a_pinned_lock_survives_the_file_and_is_the_same_every_time(card: dict[str, Any]) -> None:
    lock, _ = everything(card)
    again, _ = everything(turned({**card, "skills": list(reversed(card["skills"]))}))
    assert write_lock(again) == write_lock(lock)
    assert read_lock(write_lock(sealed(lock))).lockfile == sealed(lock)
