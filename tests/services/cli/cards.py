"""A small card and the lock that fits it, to be changed at will; and texts that would do harm where they are shown."""

import json
from pathlib import Path
from typing import Any

HOSTILE = (
    "q\x1b[2J\u202e\U000e0041\u200b\r\n::error::owned ##[error]owned\n"
    "<script>alert(1)</script> `x` | @everyone ]]> & \x07\u2028 %0A::warning::x"
)
ACTIVE = ("\x1b", "\u202e", "\U000e0041", "\u200b", "\x07", "\u2028", "\r")
URL = "https://pricing.partner.example/.well-known/agent-card.json"


def card(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Pricing",
        "description": "Prices itineraries.",
        "version": "3.2.0",
        "supportedInterfaces": [
            {"url": "https://pricing.partner.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["application/json"],
        "skills": [skill()],
        **changes,
    }


def skill(**changes: Any) -> dict[str, Any]:
    return {
        "id": "itinerary-pricing",
        "name": "Itinerary pricing",
        "description": "Prices one itinerary.",
        "tags": ["travel"],
        "inputModes": ["application/json", "text/plain"],
        "outputModes": ["application/json"],
        **changes,
    }


def lock(**changes: Any) -> dict[str, Any]:
    return {
        "workflow": "trip-planner",
        "agent": URL,
        "agent_version": "3.2.0",
        "interface": {"binding": "JSONRPC", "version": "1.0"},
        "requires": {
            "streaming": True,
            "skills": {
                "itinerary-pricing": {"input": ["application/json"], "output": ["application/json"], "scopes": []}
            },
            "extensions": [],
        },
        **changes,
    }


def written(path: Path, value: object) -> Path:
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
    path.write_text(text, "utf-8", errors="surrogatepass")
    return path
