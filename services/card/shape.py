"""Which generation of Agent Card a document is (A2A facts: 0.1 … 0.3, 1.0, hybrid), or that it is none."""

import re
from typing import Any

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.card import Shape
from cardtrail.services.card.members import LEGACY, kind, wrong

_LEGACY = frozenset(LEGACY["AgentCard"])
_OF_A_CARD = frozenset(
    (
        *("skills", "defaultInputModes", "defaultOutputModes", "securitySchemes"),
        *("preferredTransport", "additionalInterfaces", "supportsAuthenticatedExtendedCard", "protocolVersion"),
    )
)
"""Members of 0.x that a web manifest with a `url` does not have."""

_NUMBERED = re.compile(r"\s*([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9}){0,2}\s*")
_WRAPPERS = ("agent_card", "agentCard", "card", "result")


def protocol_version(served: str) -> str | None:
    """Major.Minor of a protocol version (A2A §3.6): `1.0.0` and ` 1.0` → `1.0`; `v1`, dates and other texts → None."""
    if served in _USUAL:
        return _USUAL[served]
    match = _NUMBERED.fullmatch(served)
    return f"{int(match[1])}.{int(match[2])}" if match else None


_USUAL = {"1.0": "1.0", "0.3": "0.3", "0.3.0": "0.3", "0.2": "0.2"}


def recognise(value: Any) -> Shape:  # noqa: ANN401 — any JSON value
    """The shape of a document that has an endpoint.

    Raises:
        DocumentRefused: `not-a-card`, `no-endpoint`, or `wrong-type` for a document or endpoint list of another type.
    """
    if type(value) is not dict:
        raise DocumentRefused("not-a-card", f"{kind(value)} where a card object is due", path="$")
    interfaces = value.get("supportedInterfaces")
    if interfaces is not None and type(interfaces) is not list:
        wrong(interfaces, "a list of interfaces", "$.supportedInterfaces")
    if interfaces:
        return "1.0" if _LEGACY.isdisjoint(value) else "hybrid"
    if _has_legacy_endpoint(value):
        return _legacy(value)
    raise _without_endpoint(value)


def _has_legacy_endpoint(value: dict[str, Any]) -> bool:
    """A `url` in company of another card member, or a list of additional interfaces; `url` alone is any web manifest."""
    if value.get("additionalInterfaces"):
        return True
    if value.get("url") is None:
        return False
    return not _OF_A_CARD.isdisjoint(value) or isinstance(value.get("capabilities"), dict)


def _legacy(value: dict[str, Any]) -> Shape:
    capabilities = value.get("capabilities")
    newer = "securityRequirements" in value or (isinstance(capabilities, dict) and "extendedAgentCard" in capabilities)
    stated = value.get("protocolVersion")
    version = protocol_version(str(stated)) if stated is not None else None
    if newer or (version is not None and int(version.partition(".")[0]) >= 1):
        return "hybrid"
    if version is not None:
        return {"0.0": "0.1", "0.1": "0.1", "0.2": "0.2"}.get(version, "0.3")  # type: ignore[return-value]
    if "signatures" in value:
        return "0.3"
    return "0.1" if "authentication" in value and "securitySchemes" not in value else "0.2"


def _without_endpoint(value: dict[str, Any]) -> DocumentRefused:
    inside = next((name for name in _WRAPPERS if isinstance(value.get(name), dict)), None)
    if "skills" in value and not ("name" not in value and inside):
        hint = "state supportedInterfaces with url, protocolBinding and protocolVersion"
        path = "$.supportedInterfaces" if "supportedInterfaces" in value else "$"
        return DocumentRefused("no-endpoint", "no endpoint of any generation", path=path, hint=hint)
    hint = (
        f"the card seems to lie under $.{inside}"
        if inside
        else "an Agent Card has supportedInterfaces or url, and skills"
    )
    return DocumentRefused("not-a-card", "not an A2A Agent Card", path="$", hint=hint)
