"""Changes that happen every week, against a lock that pins one JSON-RPC 1.0 interface, streaming and one skill with a scope."""

from typing import Any

import pytest

from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.pin import pin
from cardtrail.services.verdict.view import Baseline, Judgement, Observed
from tests.services.verdict.cards import CARD, GONE, HTTP, JSONRPC, POLICY, changed, encoded, turned
from tests.services.verdict.rule_cases import NOW, seen

TWO = changed({"supportedInterfaces": [JSONRPC, HTTP]})
REQUIRED = [{"uri": "https://ext.example/receipts/v1", "required": True}]
MORE_SCOPES = [{"schemes": {"oauth": {"list": ["pricing.quote", "pricing.book"]}}}]
KEY = {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}
EITHER = [{"schemes": {"oauth": {"list": ["pricing.quote"]}}}, {"schemes": {"key": {"list": []}}}]
SKILL = {"id": "refunds", "name": "Refunds", "description": "Refunds a fare.", "tags": ["fares"]}
DEVICE = {
    "deviceCode": {
        "tokenUrl": "https://login.partner.example/token",
        "deviceAuthorizationUrl": "https://login.partner.example/d",
        "scopes": {"pricing.quote": "q"},
    }
}
TOKEN = "securitySchemes/oauth/oauth2SecurityScheme/flows/clientCredentials/tokenUrl"
Case = tuple[str, dict[str, Any], dict[str, Any], str, set[str]]
WRITTEN: list[Case] = [
    (
        "description reworded",
        CARD,
        changed({"description": "Prices any itinerary."}),
        "compatible",
        {"card-text-changed"},
    ),
    ("keys reordered", CARD, turned(CARD), "compatible", set()),
    ("streaming flag off", CARD, changed({"capabilities/streaming": False}), "breaking", {"streaming-withdrawn"}),
    (
        "skill input narrowed",
        CARD,
        changed({"skills/0/inputModes": ["application/pdf"]}),
        "breaking",
        {"input-mode-removed", "mode-added"},
    ),
    (
        "default modes changed",
        CARD,
        changed({"defaultInputModes": ["text/markdown"]}),
        "compatible",
        {"default-modes-changed"},
    ),
    ("new required extension", CARD, changed({"capabilities/extensions": REQUIRED}), "breaking", {"profile-unusable"}),
    ("preferred interface dropped", TWO, changed({"supportedInterfaces": [HTTP]}), "review", {"interface-changed"}),
    (
        "interface order swapped",
        TWO,
        changed({"supportedInterfaces": [HTTP, JSONRPC]}),
        "review",
        {"interface-changed"},
    ),
    (
        "interface 2.0 only",
        CARD,
        changed({"supportedInterfaces/0/protocolVersion": "2.0"}),
        "breaking",
        {"profile-unusable"},
    ),
    (
        "one more scope required",
        CARD,
        changed({"securityRequirements": MORE_SCOPES}),
        "breaking",
        {"security-unsatisfiable"},
    ),
    ("tenant added", CARD, changed({"supportedInterfaces/0/tenant": "acme"}), "review", {"tenant-changed"}),
    (
        "host moved to another site",
        CARD,
        changed({"supportedInterfaces/0/url": "https://pricing.other.example/a2a"}),
        "review",
        {"interface-host-changed"},
    ),
    ("skill added", CARD, changed({"skills/+": SKILL}), "compatible", {"skill-added"}),
    ("skill removed", CARD, changed({"skills/0": GONE}), "breaking", {"skill-removed"}),
    (
        "signed again",
        changed({"signatures": [{"protected": "e30", "signature": "YQ"}]}),
        changed({"signatures": [{"protected": "e30", "signature": "Yg"}]}),
        "compatible",
        set(),
    ),
]
OF_THEIR_KIND: list[Case] = [
    (
        "members set to null",
        CARD,
        changed({"iconUrl": None, "documentationUrl": None, "capabilities/extensions": None}),
        "compatible",
        set(),
    ),
    ("streaming flag gone", CARD, changed({"capabilities": {}}), "breaking", {"streaming-withdrawn"}),
    (
        "skill output narrowed",
        CARD,
        changed({"skills/0/outputModes": ["application/pdf"]}),
        "breaking",
        {"output-modes-disjoint", "mode-added"},
    ),
    (
        "modes left out, defaults step in",
        CARD,
        changed({"skills/0/inputModes": GONE}),
        "breaking",
        {"input-mode-removed", "mode-added"},
    ),
    ("mode respelt", CARD, changed({"skills/0/inputModes": ["json"]}), "review", {"mode-respelled"}),
    (
        "mode with a parameter",
        CARD,
        changed({"skills/0/outputModes": ["application/json;charset=utf-8"]}),
        "compatible",
        set(),
    ),
    (
        "new optional extension",
        CARD,
        changed({"capabilities/extensions": [{"uri": "https://ext.example/receipts/v1"}]}),
        "compatible",
        {"optional-extension-added"},
    ),
    (
        "older interface appended",
        CARD,
        changed({"supportedInterfaces/+": {**JSONRPC, "protocolVersion": "0.3"}}),
        "compatible",
        {"interface-added"},
    ),
    (
        "interface 0.3 only",
        CARD,
        changed({"supportedInterfaces/0/protocolVersion": "0.3"}),
        "breaking",
        {"protocol-downgraded"},
    ),
    (
        "patch number in the protocol version",
        CARD,
        changed({"supportedInterfaces/0/protocolVersion": "1.0.0"}),
        "compatible",
        set(),
    ),
    (
        "endpoint left on localhost",
        CARD,
        changed({"supportedInterfaces/0/url": "http://localhost:8000"}),
        "breaking",
        {"interface-host-forbidden"},
    ),
    (
        "endpoint spelt otherwise",
        CARD,
        changed({"supportedInterfaces/0/url": "HTTPS://Pricing.Partner.Example:443/%612a"}),
        "compatible",
        set(),
    ),
    (
        "sub-domain of the same site",
        CARD,
        changed({"supportedInterfaces/0/url": "https://eu.partner.example/a2a"}),
        "review",
        {"interface-origin-changed"},
    ),
    (
        "another way in",
        CARD,
        changed({"securitySchemes/key": KEY, "securityRequirements": EITHER}),
        "compatible",
        {"security-alternative-added"},
    ),
    ("no way in asked for", CARD, changed({"securityRequirements": []}), "review", {"security-relaxed"}),
    (
        "same scheme name, another flow",
        CARD,
        changed({"securitySchemes/oauth/oauth2SecurityScheme/flows": DEVICE}),
        "review",
        {"security-changed"},
    ),
    (
        "token host moved",
        CARD,
        changed({TOKEN: "https://login.other.example/token"}),
        "review",
        {"credential-host-changed"},
    ),
    (
        "skill id respelt",
        CARD,
        changed({"skills/0/id": "itinerary_pricing"}),
        "breaking",
        {"skill-removed", "skill-added"},
    ),
    ("patch release, same profile", CARD, changed({"version": "3.2.1"}), "compatible", {"agent-version-patched"}),
    ("minor release, same profile", CARD, changed({"version": "3.3.0"}), "review", {"agent-version-changed"}),
    ("version went down", CARD, changed({"version": "3.1.9"}), "review", {"agent-version-regressed"}),
    (
        "last signature gone",
        changed({"signatures": [{"protected": "e30", "signature": "YQ"}]}),
        CARD,
        "review",
        {"signature-lost"},
    ),
    (
        "right-to-left override in a name",
        CARD,
        changed({"skills/1/name": "Fare \u202eselur"}),
        "review",
        {"text-suspicious", "card-text-changed"},
    ),
]


def verdict_of(before: dict[str, Any], after: dict[str, Any]) -> Judgement:
    old, new = seen(encoded(before), POLICY), seen(encoded(after), POLICY)
    lock = pin(
        old["profile"],
        old["identity"],
        workflow="trip-planner",
        agent="https://pricing.partner.example/.well-known/agent-card.json",
        skills=["itinerary-pricing"],
        streaming=True,
        card_digest="sha256:" + "0" * 64,
        texts_digest=old["texts_digest"],
        now=NOW,
    )
    return judge(lock, Baseline(), Observed(**new), POLICY, NOW)


@pytest.mark.parametrize("case", [*WRITTEN, *OF_THEIR_KIND], ids=lambda case: case[0])
def test_a_routine_change_gets_exactly_its_verdict_and_rules(case: Case) -> None:
    _, before, after, verdict, rules = case
    judgement = verdict_of(before, after)
    assert (judgement.verdict, {finding.rule for finding in judgement.findings}) == (verdict, rules)


def test_there_are_fifteen_as_written() -> None:
    assert len(WRITTEN) == 15
