"""The extended card (A2A §3.1.11, §13.3): when to ask for it, how, and what the answer means for one principal. Pure.

It replaces the public card as a whole and is read, verified and compiled like any other; nothing of the two is ever merged, and
its interface is chosen again from it alone.
"""

from dataclasses import dataclass, field
from typing import Any

from cardtrail.events.card_refused import Stage
from cardtrail.events.errors import DocumentRefused, InputRefused
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.card.canonical_forms import canonical_form
from cardtrail.services.card.carve import carve
from cardtrail.services.card.digests import semantic_digest
from cardtrail.services.card.document import Document
from cardtrail.services.card.parse import parse
from cardtrail.services.card.payloads import is_legacy
from cardtrail.services.fetcher.findings import fetch_finding
from cardtrail.services.outbound.call import Answer, Fault, Refusal
from cardtrail.services.wire.answer import WireAnswer, read_answer
from cardtrail.services.wire.request import WireRequest, build, can_build

_OPERATION = "GetExtendedAgentCard"
_SERVER_ERROR = 500
_NONE_THERE = {
    "ExtendedAgentCardNotConfiguredError": "CT110",
    "UnsupportedOperationError": "CT111",
    "MethodNotFoundError": "CT111",
}
_REFUSED: dict[str, tuple[Stage, str, Fault]] = {
    "unauthorized": ("authenticate", "unauthorized", "provider"),
    "forbidden": ("authenticate", "forbidden", "provider"),
    "throttled": ("fetch", "throttled", "ours"),
    "unavailable": ("fetch", "unavailable", "provider"),
}


@dataclass(frozen=True, slots=True)
class ExtendedCard:
    """A card came: its own bytes, cut verbatim out of whatever carried it."""

    body: bytes = field(repr=False)
    findings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicInstead:
    """The agent says that it has none: the public card counts for this principal, with a finding that says so."""

    findings: tuple[Diagnostic, ...]


def why_not_asked(profile: Profile, *, has_credential: bool) -> str:
    """Why no request is made, in kebab-case; "" where one is due.

    The flag must be set on the public card, the principal must have a credential (A2A §13.3), and we must speak the binding.
    """
    if not profile.extended_card:
        return "not-declared"
    if profile.interface is None:
        return "no-interface"
    if not can_build(profile.interface):
        return "binding-not-spoken"
    return "" if has_credential else "no-credential"


def extended_request(interface: Interface, *, request_id: str, extensions: tuple[str, ...] = ()) -> WireRequest:
    """The request on the chosen interface: JSON-RPC, HTTP+JSON with or without tenant, or the 0.x form of either."""
    return build(interface, _OPERATION, {}, request_id=request_id, extensions=extensions)


def read_extended(
    interface: Interface, answer: Answer, public: bytes, *, request_id: str = ""
) -> ExtendedCard | PublicInstead | Refusal:
    """What an answer of any status means; a `Refusal` leaves the last good profile of this principal in place.

    `public` is the body of the public card: some servers give that one, with 200, to callers they do not know. A result under
    another id than `request_id` ("" = any) is the answer to somebody else, and not for this principal to see.
    """
    try:
        document: Document | DocumentRefused = parse(answer.body)
    except DocumentRefused as refused:
        document = refused
    value = document.value if isinstance(document, Document) else document
    said = read_answer(interface.binding, answer.status, answer.media_type, value)
    if said.kind == "result" and isinstance(document, Document) and isinstance(said.result, dict):
        if interface.binding == "JSONRPC" and request_id and _id(document) != request_id:
            return _refusal_at(answer, "fetch", "answer-mismatched", "it has the id of another request", "provider")
        body = carve(document, "$.result") if interface.binding == "JSONRPC" else answer.body
        return ExtendedCard(body, (fetch_finding("CT112"),) if _is_same(said.result, public) else ())
    if said.error is not None and said.error.name in _NONE_THERE:
        code = _NONE_THERE[said.error.name]
        return PublicInstead((fetch_finding(code, error=said.error.name),))
    return _refusal_at(answer, *_refusal(said))


def _refusal_at(answer: Answer, stage: Stage, reason: str, detail: str, fault: Fault) -> Refusal:
    return Refusal(stage, reason, detail, fault, answer.url, answer.address, answer.status, answer.latency_ms)


def _id(document: Document) -> Any:  # noqa: ANN401 — any JSON value
    return document.value.get("id") if isinstance(document.value, dict) else None


def _is_same(card: dict[str, Any], public: bytes) -> bool:
    """Whether two cards say the same; the 0.x members that a server mixes into its public card alone do not count."""
    try:
        other = parse(public).value
        return isinstance(other, dict) and _said(card) == _said(other)
    except InputRefused:
        return False


def _said(card: dict[str, Any]) -> str | bytes:
    return semantic_digest(card) if is_legacy(card) else canonical_form(card, "spec_filled").payload


def _refusal(said: WireAnswer) -> tuple[Stage, str, str, Fault]:
    if said.kind in _REFUSED:
        stage, reason, fault = _REFUSED[said.kind]
        return stage, reason, f"HTTP {said.status}", fault
    if said.error is not None:
        return (
            "fetch",
            "extended-card-error",
            f"{said.error.name or said.error.code}: {said.error.message}"[:300],
            "provider",
        )
    if said.kind == "result":
        return "parse", "not-a-card", "the result is no object", "provider"
    if said.status >= _SERVER_ERROR:
        return "fetch", "server-error", f"HTTP {said.status}", "provider"
    return "fetch", "not-an-extended-card", said.detail[:300] or f"HTTP {said.status}", "provider"
