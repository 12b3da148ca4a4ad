"""What only memory can see: a lost signature, a new key, an old card again, content changed behind a signature."""

import json
from typing import Any

import pytest

from cardtrail.services.card.digests import semantic_digest, signatures_digest
from cardtrail.services.card.keys import KeySet
from cardtrail.services.card.read import read_card
from cardtrail.services.card.sign import sign
from cardtrail.services.card.trust import Sighting, TrustState, compare, remember
from tests.services.card.signers import ALL_KEYS, PRIVATE, a_card, judge, key_set, public


def seen(card: dict[str, Any], keys: KeySet = ALL_KEYS) -> Sighting:
    read = read_card(json.dumps(card).encode()).card
    assert read is not None
    return Sighting(
        signature=judge(card, keys).summary(),
        semantic_digest=semantic_digest(card),
        signatures_digest=signatures_digest(read.signatures),
        version=read.version,
    )


def after(*cards: dict[str, Any]) -> TrustState:
    state = TrustState()
    for card in cards:
        state = remember(state, seen(card))
    return state


def names(state: TrustState, card: dict[str, Any], keys: KeySet = ALL_KEYS) -> list[str]:
    return [finding.name for finding in compare(state, seen(card, keys), keys)]


FIRST = sign(a_card(), PRIVATE["ec"])
SECOND = sign(a_card(version="3.3.0"), PRIVATE["ec"])


def test_the_first_card_and_the_same_card_signed_again_say_nothing() -> None:
    assert names(TrustState(), FIRST) == []
    assert names(after(FIRST), sign(a_card(), PRIVATE["ec"])) == []
    assert names(after(FIRST), SECOND) == []


def test_an_origin_that_never_signed_may_stay_unsigned() -> None:
    assert names(after(a_card()), a_card(version="9")) == []


def test_signed_yesterday_and_unsigned_today_is_a_finding_until_it_is_signed_again() -> None:
    state = after(FIRST, a_card())
    assert names(state, a_card()) == ["signed-then-unsigned"]
    assert names(state, FIRST) == []


def test_a_signature_that_stopped_verifying_is_its_own_finding() -> None:
    assert names(after(FIRST), FIRST | {"name": "Other"}) == ["signature-stopped-verifying"]
    assert names(after(FIRST), sign(a_card(), PRIVATE["ec"], kid="gone")) == ["signature-stopped-verifying"]


def test_a_new_key_is_a_finding_once() -> None:
    rotated = sign(a_card(), PRIVATE["ed"])
    assert names(after(FIRST), rotated) == ["signing-key-new"]
    assert names(after(FIRST, rotated), rotated) == []
    assert names(after(FIRST, rotated), FIRST) == []


def test_a_kid_that_passed_to_another_key_is_told_whether_or_not_it_verifies() -> None:
    moved = key_set(public("ec2", kid="ec"))
    taken_over = sign(a_card(), PRIVATE["ec2"], kid="ec")
    assert names(after(FIRST), taken_over, moved) == ["key-changed-under-same-kid", "signing-key-new"]
    assert names(after(FIRST), FIRST, moved) == ["signature-stopped-verifying", "key-changed-under-same-kid"]


def test_an_older_signed_card_served_again_is_a_replay() -> None:
    assert names(after(FIRST, SECOND), FIRST) == ["signed-card-replayed"]
    assert names(after(FIRST, SECOND), SECOND) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("3.2.0", "3.1.9", ["signed-version-went-back"]),
        ("3.10", "3.9", ["signed-version-went-back"]),
        ("3.2.0", "3.2.1", []),
        ("3.2.0", "beta", []),
        ("2026-a", "1", []),
        ("9" * 5000, "9" * 4000, []),
    ],
)
def test_a_signed_version_that_goes_back_is_told_where_versions_can_be_compared(
    old: str, new: str, found: list[str]
) -> None:
    before = after(sign(a_card(version=old), PRIVATE["ec"]))
    assert names(before, sign(a_card(version=new), PRIVATE["ec"])) == found


def test_security_removed_under_an_unchanged_pruned_signature_is_an_error() -> None:
    signed = sign(a_card(), PRIVATE["ec"], form="sdk_pruned")
    stripped = {name: value for name, value in signed.items() if name != "securityRequirements"}
    (finding,) = compare(after(signed), seen(stripped))
    assert (finding.name, finding.level) == ("uncovered-members-changed", "error")


def test_a_server_that_starts_to_mix_in_old_members_is_told_and_one_that_signs_anew_is_not() -> None:
    hybrid = FIRST | {"url": "https://rates.example/a2a", "preferredTransport": "JSONRPC"}
    assert names(after(FIRST), hybrid) == ["uncovered-members-changed"]
    assert names(after(FIRST), sign(a_card(), PRIVATE["ec"]) | {"x-note": "unknown members are no content"}) == []


def test_only_a_verified_card_is_remembered_and_memory_is_bounded() -> None:
    state = after(FIRST)
    assert remember(state, seen(FIRST | {"name": "Other"})) == state
    many = after(*(sign(a_card(version=str(number)), PRIVATE["ec"]) for number in range(70)))
    assert len(many.seen) == 64
