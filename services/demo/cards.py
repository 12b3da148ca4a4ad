"""The cards of the bundled agents, and the changes of the travel planner's story, as a provider writes them."""

import copy
from typing import Any

Card = dict[str, Any]
PRICING, FARES = "pricing.partner.example", "fares.other.example"
SKILL, SCOPE = "itinerary-pricing", "pricing.quote"


def pricing(port: int) -> Card:
    """The pricing agent as the workflow came to know it: JSON-RPC 1.0, streaming, JSON in and out, one scope."""
    return _card(PRICING, port, name="Partner Pricing", skill="Price an itinerary", version="3.2.0")


def fares(port: int) -> Card:
    """The second agent, which satisfies the same lock."""
    return _card(FARES, port, name="Other Fares", skill="Quote fares", version="1.9.2")


def reworded(card: Card) -> Card:
    """Other words, other key order, one more skill: nothing that affects a call."""
    changed = copy.deepcopy(card)
    changed["description"] = "Quotes fares for whole itineraries. Now with a friendlier tone, 1,204 quotes today."
    changed["skills"][0]["description"] = "Gives a price for each leg of a trip."
    changed["skills"].append(_skill("fare-rules", "Explain fare rules"))
    return dict(reversed(changed.items()))


def preferring_http(card: Card, port: int) -> Card:
    """A new version that would rather be called over HTTP+JSON."""
    changed = copy.deepcopy(card)
    changed["version"] = "3.3.0"
    first = {"url": f"https://{PRICING}:{port}/a2a/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
    changed["supportedInterfaces"].insert(0, first)
    return changed


def answering_pdf(card: Card) -> Card:
    """The needed skill answers `application/pdf`, and nothing else any more."""
    changed = copy.deepcopy(card)
    changed["skills"][0]["outputModes"] = ["application/pdf"]
    return changed


def wanting_more(card: Card) -> Card:
    """The needed skill wants one more scope than the workflow holds."""
    changed = copy.deepcopy(card)
    flows = changed["securitySchemes"]["oauth"]["oauth2SecurityScheme"]["flows"]
    flows["clientCredentials"]["scopes"]["pricing.book"] = "Book what was quoted"
    changed["skills"][0]["securityRequirements"] = [{"schemes": {"oauth": {"list": [SCOPE, "pricing.book"]}}}]
    return changed


def _card(host: str, port: int, *, name: str, skill: str, version: str) -> Card:
    base = f"https://{host}:{port}"
    return {
        "name": name,
        "description": "Quotes fares for whole itineraries.",
        "version": version,
        "provider": {"organization": name, "url": base},
        "supportedInterfaces": [{"url": f"{base}/a2a/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "securitySchemes": {
            "oauth": {
                "oauth2SecurityScheme": {
                    "flows": {
                        "clientCredentials": {"tokenUrl": f"{base}/token", "scopes": {SCOPE: "Ask for quotes"}},
                    },
                },
            },
        },
        "skills": [_skill(SKILL, skill) | {"securityRequirements": [{"schemes": {"oauth": {"list": [SCOPE]}}}]}],
    }


def _skill(identifier: str, name: str) -> Card:
    return {"id": identifier, "name": name, "description": f"{name}.", "tags": ["travel", "fares"]}
