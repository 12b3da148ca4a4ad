"""A pricing agent's card, ways to change it, and what compiling it gives."""

import json
from copy import deepcopy
from typing import Any

from cardtrail.events.model.policy import Policy
from cardtrail.services.card.read import CardReading, read_card

GONE = object()
URL = "https://pricing.partner.example/a2a"
JSONRPC = {"url": URL, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
HTTP = {"url": URL, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
CARD: dict[str, Any] = {
    "name": "Pricing agent",
    "description": "Prices itineraries.",
    "version": "3.2.0",
    "supportedInterfaces": [JSONRPC],
    "provider": {"organization": "Partner", "url": "https://partner.example"},
    "capabilities": {"streaming": True},
    "securitySchemes": {
        "oauth": {
            "oauth2SecurityScheme": {
                "flows": {
                    "clientCredentials": {
                        "tokenUrl": "https://login.partner.example/token",
                        "scopes": {"pricing.quote": "Quote prices", "pricing.book": "Book"},
                    }
                }
            }
        }
    },
    "securityRequirements": [{"schemes": {"oauth": {"list": ["pricing.quote"]}}}],
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [
        {
            "id": "itinerary-pricing",
            "name": "Itinerary pricing",
            "description": "Prices one itinerary.",
            "tags": ["pricing"],
            "inputModes": ["application/json"],
            "outputModes": ["application/json"],
        },
        {"id": "fare-rules", "name": "Fare rules", "description": "Explains a fare.", "tags": ["fares"]},
    ],
}
POLICY = Policy()


def changed(changes: dict[str, Any], card: dict[str, Any] | None = None) -> dict[str, Any]:
    """A copy with members set by `/`-parted path (`skills/0/id`), taken away (`GONE`) or appended (`skills/+`)."""
    copy = deepcopy(CARD if card is None else card)
    for path, value in changes.items():
        *steps, last = path.split("/")
        here: Any = copy
        for step in steps:
            here = here[int(step)] if isinstance(here, list) else here.setdefault(step, {})
        if last == "+":
            here.append(value)
        elif value is GONE:
            del here[int(last) if isinstance(here, list) else last]
        else:
            here[int(last) if isinstance(here, list) else last] = value
    return copy


def turned(value: Any) -> Any:
    """The same JSON value with the members of every object in the opposite order."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


def encoded(card: dict[str, Any]) -> bytes:
    """The card as it would be served."""
    return json.dumps(card, ensure_ascii=False).encode()


def reading(card: dict[str, Any]) -> CardReading:
    """The card as it is read."""
    return read_card(encoded(card))
