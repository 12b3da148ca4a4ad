"""Every way a card comes in passes the same verification, and what was shown before is remembered."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cardtrail.events.card_fetched import CardFetched, SignatureSummary
from cardtrail.services.card.jws import kids_of
from cardtrail.services.card.key_store import Anchor, KeyStore
from cardtrail.services.card.keys import KeySet
from cardtrail.services.card.sign import sign
from cardtrail.services.discovery_settings import KeySettings
from cardtrail.services.fetcher.examine import Checks, Examined, Unusable, examine
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.remembered import compared
from cardtrail.services.fetcher.trusted import checks, key_store, told
from cardtrail.services.settings import Settings
from tests.services.card.signers import ALL_KEYS, NOW, ORIGIN, PRIVATE, a_card, key_set, public

SIGNED = sign(a_card(), PRIVATE["ec"])
URL = ORIGIN + "/.well-known/agent-card.json"


def held(keys: KeySet = ALL_KEYS, now: datetime = NOW) -> Checks:
    return checks(KeyStore([Anchor(origin=ORIGIN, keys=keys)]), nobody, lambda: now)


async def nobody(url: str) -> bytes:
    raise AssertionError(f"{url} was asked")


def examined(card: dict[str, Any], location: str = URL, keys: KeySet = ALL_KEYS) -> Examined | Unusable:
    return asyncio.run(examine(json.dumps(card).encode(), location, held(keys)))


def fact(card: dict[str, Any]) -> CardFetched:
    seen = examined(card)
    assert isinstance(seen, Examined)
    return CardFetched(
        agent="rates",
        location=URL,
        signature=seen.verified.summary,
        semantic_digest=seen.semantic_digest,
        signatures_digest=seen.signatures_digest,
        agent_version=seen.card.version,
    )


def remembering(*cards: dict[str, Any]) -> Memory:
    memory = Memory()
    for number, card in enumerate(cards):
        memory = memory.after(fact(card), number, NOW)
    return memory


def test_a_key_that_ends_is_told_with_its_origin_and_nothing_of_its_name_that_hides() -> None:
    end = int((NOW + timedelta(days=5)).timestamp())
    page = json.dumps({"keys": [public("ec", kid="\u202e\x1b[2J", exp=end), public("ed", exp=end + 60)]}).encode()
    store = KeyStore([Anchor(origin=ORIGIN, urls=(f"{ORIGIN}/jwks.json",))])
    store.received(f"{ORIGIN}/jwks.json", page, NOW)
    (line,) = told(store, NOW, timedelta(days=21))
    assert line.endswith(f"of {ORIGIN} ends on 2026-10-07 08:30 UTC, 1 more of its keys soon after")
    assert line.isprintable()
    assert list(told(store, NOW, timedelta(days=4))) == []


def test_a_key_is_trusted_for_its_origin_and_for_no_other() -> None:
    for location, outcome in ((URL, "verified"), ("https://rates.example.evil/card.json", "unverifiable")):
        seen = examined(SIGNED, location)
        assert isinstance(seen, Examined)
        assert seen.verified.summary.outcome == outcome


def test_a_card_that_is_not_what_was_signed_is_unusable_and_one_by_an_unknown_key_is_not() -> None:
    refused = examined(SIGNED | {"name": "Other"})
    assert isinstance(refused, Unusable)
    assert (refused.stage, refused.reason) == ("verify", "signature-invalid")
    unknown = examined(SIGNED | {"name": "Other"}, keys=KeySet())
    assert isinstance(unknown, Examined)
    assert [finding.name for finding in unknown.verified.findings] == ["signature-unverifiable"]


def test_a_304_does_not_outlive_its_key() -> None:
    keys = key_set(public("ec", exp=int(NOW.timestamp()) + 60))
    known = fact(SIGNED).signature
    assert asyncio.run(still(held(keys), known)) == known
    assert asyncio.run(still(held(keys, NOW + timedelta(seconds=61)), known)) is None


def test_a_304_is_not_enough_once_a_key_that_was_missing_is_known() -> None:
    seen = examined(SIGNED, keys=KeySet())
    assert isinstance(seen, Examined)
    unknown = seen.verified.summary
    assert asyncio.run(still(held(KeySet()), unknown)) == unknown
    assert asyncio.run(still(held(), unknown)) is None


async def still(with_checks: Checks, known: SignatureSummary) -> SignatureSummary | None:
    return await with_checks.still(known, URL)


def test_the_settings_name_a_key_set_for_each_origin(tmp_path: Path) -> None:
    file = tmp_path / "rates.jwks"
    file.write_text(json.dumps({"keys": [public("ec")]}))
    store = key_store(Settings(keys={ORIGIN: KeySettings(file=file)}))
    assert [key.kid for key in store.keys_for(URL, datetime.now(UTC)).keys] == ["ec"]


def test_what_memory_adds_stands_in_the_observation_once() -> None:
    memory = remembering(SIGNED)
    assert compared(fact(SIGNED), memory.trust) == fact(SIGNED)
    unsigned = compared(fact(a_card()), memory.trust)
    assert [finding.name for finding in unsigned.findings] == ["signed-then-unsigned"]
    assert compared(unsigned, memory.trust) == unsigned


def test_memory_survives_its_store_and_an_older_card_is_recognised_after_it() -> None:
    newer = sign(a_card(version="3.3.0"), PRIVATE["ec"])
    memory = Memory.model_validate_json(remembering(SIGNED, newer).model_dump_json())
    assert [finding.name for finding in compared(fact(SIGNED), memory.trust).findings] == ["signed-card-replayed"]


def test_the_names_of_the_keys_to_look_up_are_read_from_any_card() -> None:
    assert kids_of(sign(SIGNED, PRIVATE["ed"])) == ("ec", "ed")
    for odd in (
        None,
        "x",
        {},
        [None, 5, {"protected": "%", "signature": "x"}, {"protected": "e30", "signature": "AAAA"}],
    ):
        assert kids_of({"signatures": odd}) == ()
