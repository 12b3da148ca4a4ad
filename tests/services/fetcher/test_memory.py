"""What is remembered follows from the facts alone."""

from datetime import UTC, datetime, timedelta

from cardtrail.events.card_fetched import CardFetched, Validators
from cardtrail.events.card_refused import CardRefused
from cardtrail.services.fetcher.findings import FETCH_FINDINGS, fetch_finding
from cardtrail.services.fetcher.memory import DOUBT_S, LIED, Memory

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
FULL = CardFetched(agent="a", raw_digest="sha256:1", validators=Validators(etag='"1"'))
SHORT = CardFetched(agent="a", status=304, same_as=7)


def test_a_full_observation_is_remembered_and_the_same_twice_is_the_same() -> None:
    once = Memory().after(FULL, 7, NOW)
    assert (once.full, once.sequence, once.validators.etag, once.full_at) == (FULL, 7, '"1"', NOW)
    assert once.after(FULL, 7, NOW) == once
    assert Memory.model_validate_json(once.model_dump_json()) == once


def test_a_304_moves_nothing_but_a_new_tag_and_a_refusal_moves_nothing_at_all() -> None:
    held, later = Memory().after(FULL, 7, NOW), NOW + timedelta(days=1)
    assert held.after(SHORT, 8, later) == held
    tagged = SHORT.model_copy(update={"validators": Validators(etag='"2"')})
    assert held.after(tagged, 8, later) == held.model_copy(update={"validators": Validators(etag='"2"')})
    assert held.after(CardRefused(agent="a", stage="fetch", reason="gone"), 8, later) == held


def test_a_lie_is_doubted_for_a_week_and_then_forgotten() -> None:
    caught = FULL.model_copy(update={"findings": (fetch_finding(LIED, digest="sha256:0"),)})
    doubting = Memory().after(caught, 7, NOW)
    assert doubting.doubted_until == NOW + timedelta(seconds=DOUBT_S)
    same = SHORT.model_copy(update={"status": 200})
    assert doubting.after(same, 8, NOW + timedelta(days=1)).doubted_until == doubting.doubted_until
    assert doubting.after(same, 8, NOW + timedelta(days=7)).doubted_until is None


def test_each_finding_has_a_number_of_its_own_and_says_something() -> None:
    assert len({rule.name for rule in FETCH_FINDINGS.values()}) == len(FETCH_FINDINGS)
    assert all(rule.code.startswith("CT1") and rule.why for rule in FETCH_FINDINGS.values())
