"""A mismatch explained: gateways that rewrite URLs, signatures left from an older version, and what is really tampered with."""

from typing import Any

import pytest

from cardtrail.services.card.sign import sign
from cardtrail.services.card.verification import Difference
from tests.services.card.signers import PRIVATE, a_card, judge, only

URL = "$.supportedInterfaces[0].url"
DIRECT = "https://rates.example/a2a"


def served_at(card: dict[str, Any], url: str) -> dict[str, Any]:
    return card | {"supportedInterfaces": [card["supportedInterfaces"][0] | {"url": url}]}


@pytest.mark.parametrize("form", ["spec_present", "sdk_pruned", "raw"])
def test_a_gateway_that_rewrote_the_url_is_named_with_the_earlier_card_at_hand(form: str) -> None:
    signed = sign(a_card(), PRIVATE["ec"], form=form)
    result = only(judge(served_at(signed, "http://gw.internal/agents/rates/a2a/a2a"), previous=a_card()))
    assert (result.outcome, result.reason) == ("unverifiable", "rewritten")
    assert result.differences == (
        Difference(path=URL, served="http://gw.internal/agents/rates/a2a/a2a", signed=DIRECT),
    )


def test_a_gateway_is_named_after_the_agent_itself_has_moved_on() -> None:
    signed = sign(a_card(version="3.3.0"), PRIVATE["ec"])
    result = only(judge(served_at(signed, "https://gw.example/x"), previous=a_card()))
    assert (result.reason, [one.path for one in result.differences]) == ("rewritten", [URL])


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("https://gw.example/a2a", {"documentationUrl": "https://rates.example/docs"}),
        ("http://rates.example/a2a", {}),
        ("https://rates.example/a2a/", {}),
        ("http://10.0.0.5:8080/a2a", {"provider": {"organization": "R", "url": "https://rates.example"}}),
    ],
)
def test_a_gateway_is_guessed_from_what_the_card_itself_still_says(url: str, more: dict[str, Any]) -> None:
    result = only(judge(served_at(sign(a_card(**more), PRIVATE["ec"]), url), origin="https://gw.example"))
    assert (result.outcome, result.reason) == ("unverifiable", "rewritten")
    assert result.differences == (Difference(path=URL, served=url, signed=DIRECT),)


def test_a_hybrid_members_url_is_not_blamed_where_the_form_does_not_see_it() -> None:
    card = served_at(sign(a_card(documentationUrl=DIRECT), PRIVATE["ec"]), "https://gw.example/a2a")
    result = only(judge(card | {"url": "https://gw.example/a2a"}))
    assert [one.path for one in result.differences] == [URL]


def test_the_cards_origin_explains_an_internal_address_put_in_by_a_proxy() -> None:
    result = only(judge(served_at(sign(a_card(), PRIVATE["ec"]), "http://0.0.0.0:8000/a2a")))
    assert result.reason == "rewritten"


def test_a_url_that_nothing_explains_is_invalid() -> None:
    result = only(
        judge(served_at(sign(a_card(), PRIVATE["ec"]), "https://evil.example/b"), origin="https://evil.example")
    )
    assert (result.outcome, result.reason, result.differences) == ("invalid", "no-form-matches", ())


def test_a_signature_left_from_the_version_before_names_the_members_that_changed() -> None:
    stale = sign(a_card(), PRIVATE["ec"])["signatures"]
    changed = a_card(version="4.0.0", defaultInputModes=["text/plain"]) | {"signatures": stale}
    result = only(judge(changed, previous=a_card()))
    assert (result.outcome, result.reason) == ("invalid", "no-form-matches")
    assert [one.path for one in result.differences] == ["$.version", "$.defaultInputModes[0]"]
    assert "first difference $.version" in result.detail


def test_a_name_and_a_url_changed_together_are_no_rewriting() -> None:
    card = served_at(sign(a_card(), PRIVATE["ec"]), "https://gw.example/a2a") | {"name": "Other"}
    result = only(judge(card, previous=a_card()))
    assert (result.outcome, [one.path for one in result.differences]) == ("invalid", ["$.name", URL])


def test_an_explanation_is_sought_once_a_card_however_many_signatures_fail() -> None:
    card = sign(sign(a_card(), PRIVATE["ec"]), PRIVATE["ed"])
    results = judge(served_at(card, "http://rates.example/a2a")).signatures
    assert [result.reason for result in results] == ["rewritten", "no-form-matches"]
