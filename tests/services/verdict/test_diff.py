import json

import pytest

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.policy import EndpointPolicy, Policy
from cardtrail.services.card.read import read_card
from cardtrail.services.verdict.diff import client_of, diff
from cardtrail.services.verdict.structure import compare
from tests.services.verdict.cards import CARD, GONE, HTTP, JSONRPC, changed, reading, turned

OLD = reading(CARD)


def rules(changes: dict[str, object], before: dict[str, object] | None = None) -> set[str]:
    old = changed(before or {})
    return {finding.rule for finding in diff(reading(old), reading(changed(changes, old))).findings}


def test_a_new_card_that_cannot_be_read_is_a_review_with_the_reason() -> None:
    for data in (b"<html>", b"{}", b'{"name": "a", "name": "b"}', json.dumps({"name": "x", "skills": []}).encode()):
        judgement = diff(OLD, read_card(data))
        assert (judgement.verdict, judgement.action) == ("review", "probe")
        assert [finding.rule for finding in judgement.findings] == ["card-unreadable"]


def test_an_old_card_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InputRefused):
        diff(read_card(b"{"), OLD)


def test_the_client_knows_the_pair_and_the_extensions_of_the_old_card_and_no_new_ones() -> None:
    own = {
        "url": "https://pricing.partner.example/x",
        "protocolBinding": "https://own.example/binding",
        "protocolVersion": "7.0",
    }
    known = {"capabilities/extensions": [{"uri": "u1", "required": True}], "supportedInterfaces": [own]}
    assert rules({"description": "d"}, known) == {"card-text-changed"}
    assert rules({"capabilities/extensions/+": {"uri": "u2", "required": True}}, known) == {"profile-unusable"}
    old = reading(changed(known)).card
    assert old is not None
    assert ("https://own.example/binding", "7.0") in client_of(old).interfaces


def test_the_workflow_needs_everything_and_holds_what_the_old_card_asked_for() -> None:
    assert rules({"skills/1": GONE}) == {"skill-removed"}
    assert rules({"securityRequirements/0/schemes/oauth/list": ["pricing.quote", "pricing.book"]}) == {
        "security-unsatisfiable"
    }
    key = {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}
    assert rules({"securitySchemes/key": key, "securityRequirements/0/schemes/key": {"list": []}}) == {
        "security-unsatisfiable"
    }


def test_a_required_extension_that_goes_is_missed_and_an_optional_one_is_looked_at() -> None:
    both = {"capabilities/extensions": [{"uri": "u1", "required": True}, {"uri": "u2"}]}
    assert rules({"capabilities/extensions": []}, both) == {"extension-withdrawn", "optional-extension-withdrawn"}


def test_policy_speaks_in_a_diff_too() -> None:
    new = reading(changed({"supportedInterfaces/0/url": "https://pricing.other.example/a2a"}))
    policy = Policy(endpoints=EndpointPolicy(allowed_hosts=("*.partner.example",)))
    assert diff(OLD, new).verdict == "review"
    assert diff(OLD, new, policy).verdict == "breaking"


def test_the_structure_lists_what_went_came_and_changed_by_natural_key() -> None:
    new = changed(
        {"skills/1": GONE, "skills/0/inputModes": ["text/csv"], "supportedInterfaces": [HTTP, JSONRPC], "version": "4"}
    )
    found = [(one.mark, one.subject) for one in compare(OLD, reading(new)).differences]
    assert ("-", "skills[fare-rules]") in found
    assert ("~", "skills[itinerary-pricing].inputModes") in found
    assert ("+", "interfaces[HTTP+JSON 1.0 https://pricing.partner.example/a2a]") in found
    assert ("~", "version") in found
    assert len(found) == 5  # the JSONRPC interface went from first to second place


def test_a_scheme_and_an_extension_are_told_by_the_members_that_changed() -> None:
    flow = "securitySchemes/oauth/oauth2SecurityScheme/flows/clientCredentials"
    old = changed({"capabilities/extensions": [{"uri": "https://e.example/1", "params": {"unit": "EUR"}}]})
    more = changed({f"{flow}/scopes/pricing.refund": "Refund", "capabilities/extensions/0/required": True}, old)
    told = compare(reading(old), reading(more)).differences
    assert [(one.mark, one.subject, one.before, one.after) for one in told] == [
        ("~", "capabilities.extensions[https://e.example/1].required", False, True),
        (
            "~",
            "securitySchemes[oauth].scopes",
            ["pricing.book", "pricing.quote"],
            ["pricing.book", "pricing.quote", "pricing.refund"],
        ),
    ]


def test_what_is_not_counted_is_said() -> None:
    new = turned(changed({"description": "New.", "skills/0/examples": ["a"]}))
    structure = compare(OLD, reading(new))
    assert structure.differences == ()
    assert structure.not_counted == ("key order", "2 texts")
    assert compare(OLD, OLD) == ((), ())
    assert compare(OLD, read_card(b"[]")) == ((), ())


def test_the_texts_of_a_new_skill_are_not_counted_twice() -> None:
    more = changed({"skills/+": {"id": "refunds", "name": "Refunds", "description": "d", "tags": ["t"]}})
    structure = compare(OLD, reading(more))
    assert [(one.mark, one.subject) for one in structure.differences] == [("+", "skills[refunds]")]
    assert structure.not_counted == ()
