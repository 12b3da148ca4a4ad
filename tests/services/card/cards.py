"""Cards to start from: one that satisfies every rule of 1.0, one of 0.3, one of 0.1; and ways to change them."""

import copy
import json
from typing import Any

from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Profile
from cardtrail.events.model.value import Value
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.read import CardReading, read_card

CLIENT = ClientCapabilities()

MINIMAL: dict[str, Any] = {
    "name": "Rates",
    "description": "Quotes rates",
    "version": "3.2.0",
    "supportedInterfaces": [
        {"url": "https://rates.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ],
    "capabilities": {},
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json"],
    "skills": [{"id": "quote", "name": "Quote", "description": "Quotes one rate", "tags": ["rates"]}],
}
OAUTH: dict[str, Any] = {
    "oauth2SecurityScheme": {
        "flows": {
            "clientCredentials": {
                "tokenUrl": "https://auth.example/token",
                "scopes": {"quote": "Quote", "book": "Book"},
            }
        }
    }
}
FULL: dict[str, Any] = {
    **MINIMAL,
    "provider": {"organization": "Partner", "url": "https://partner.example"},
    "documentationUrl": "https://partner.example/docs",
    "supportedInterfaces": [
        {"url": "https://r.example/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t1"},
        {"url": "https://r.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
        {"url": "https://r.example/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
    ],
    "capabilities": {
        "streaming": True,
        "pushNotifications": False,
        "extendedAgentCard": True,
        "extensions": [{"uri": "https://e.example/x/v1", "description": "x", "params": {"n": 1.5, "a": [1, None]}}],
    },
    "securitySchemes": {"partner": OAUTH, "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
    "securityRequirements": [
        {"schemes": {"partner": {"list": ["quote"]}}},
        {"schemes": {"key": {"list": []}}},
    ],
    "skills": [
        {
            "id": "quote",
            "name": "Quote",
            "description": "Quotes one rate",
            "tags": ["rates", "travel"],
            "examples": ["Quote Berlin to Lisbon"],
            "inputModes": ["application/json", "text/plain"],
            "outputModes": ["application/pdf"],
            "securityRequirements": [{"schemes": {"partner": {"list": ["quote", "book"]}}}],
        },
        {"id": "help", "name": "Help", "description": "Explains", "tags": ["help"]},
    ],
}
V03: dict[str, Any] = {
    "name": "Rates",
    "description": "Quotes rates",
    "version": "3.2.0",
    "url": "https://rates.example/a2a",
    "preferredTransport": "JSONRPC",
    "protocolVersion": "0.3.0",
    "additionalInterfaces": [{"url": "https://rates.example/rest", "transport": "HTTP+JSON"}],
    "capabilities": {"streaming": True, "stateTransitionHistory": False},
    "supportsAuthenticatedExtendedCard": True,
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "security": [{"key": []}],
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json"],
    "skills": [{"id": "quote", "name": "Quote", "description": "Quotes one rate", "tags": ["rates"]}],
}
V01: dict[str, Any] = {
    "name": "Rates",
    "url": "https://rates.example/",
    "version": "1.0.0",
    "authentication": {"schemes": ["Bearer", "none"]},
    "capabilities": {"streaming": False},
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "quote", "name": "Quote"}],
}


def changed(card: dict[str, Any], /, **members: Any) -> dict[str, Any]:
    """A deep copy with other members; `...` takes one out."""
    new = copy.deepcopy(card)
    for name, value in members.items():
        if value is ...:
            new.pop(name, None)
        else:
            new[name] = value
    return new


def skill(**members: Any) -> dict[str, Any]:
    return changed(MINIMAL["skills"][0], **members)


def interface(**members: Any) -> dict[str, Any]:
    return changed(MINIMAL["supportedInterfaces"][0], **members)


def data(card: Any) -> bytes:
    return json.dumps(card, ensure_ascii=False).encode()


def read(card: Any, origin: str | None = None) -> CardReading:
    return read_card(card if isinstance(card, bytes) else data(card), origin)


def lifted(card: Any) -> AgentCard:
    reading = read(card)
    assert reading.card is not None, reading.refusal and reading.refusal.message
    return reading.card


def profile(card: Any, client: ClientCapabilities = CLIENT) -> Profile:
    return compile_profile(lifted(card), client)


def validated(value: Value) -> Value:
    """The value as strict validation makes it of its members."""
    return type(value).model_validate(value.model_dump(), strict=True)


def codes(card: Any, origin: str | None = None) -> set[str]:
    return {found.code for found in read(card, origin).diagnostics}


def refusal(card: Any) -> tuple[str, str]:
    """Code and JSON path."""
    found = read(card).refusal
    assert found is not None
    return found.code, found.path
