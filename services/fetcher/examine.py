"""From a body to what is known of it: read, verified, digested. The same steps for fetched, local and embedded cards."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from cardtrail.events.canonical import raw_digest
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.card_refused import Stage
from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.card import AgentCard, AgentInterface, Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.card.digests import semantic_digest, signatures_digest
from cardtrail.services.card.document import Document
from cardtrail.services.card.endpoint import member_at
from cardtrail.services.card.read import read_card
from cardtrail.services.outbound.address import STRICT
from cardtrail.services.verdict.endpoints import place


class Verified(NamedTuple):
    """What verification said, and what a person should know about it."""

    summary: SignatureSummary = SignatureSummary()
    findings: tuple[Diagnostic, ...] = ()


Previous = Callable[[], Awaitable[bytes | None]]
"""The last body of the same card that verified, where one is kept: it lets a mismatch name the members that differ."""


async def nothing_before() -> bytes | None:
    """A card seen for the first time."""
    return None


async def _unverified(_body: bytes, _document: Document, _place: str, _previous: Previous) -> Verified:
    return Verified()


async def _unchanged(known: SignatureSummary, _place: str) -> SignatureSummary | None:
    return known


class Checks(NamedTuple):
    """Verification, handed in: `verify(body, document, place, previous)`; `still(summary, place)` judges an outcome again.

    `place` is the URL whose origin the keys are held for. `still` answers for a 304, without a body: keys can have expired, been
    withdrawn or become known meanwhile. None = it may be another outcome now, so the card must be had in whole: its server may
    not see a change of signatures alone.
    """

    verify: Callable[[bytes, Document, str, Previous], Awaitable[Verified]] = _unverified
    still: Callable[[SignatureSummary, str], Awaitable[SignatureSummary | None]] = _unchanged


class Examined(NamedTuple):
    """A usable card and its digests."""

    card: AgentCard
    shape: Shape
    raw_digest: str
    semantic_digest: str
    signatures_digest: str
    verified: Verified
    findings: tuple[Diagnostic, ...]


class Unusable(NamedTuple):
    """A body that gives no card: where it ended and why."""

    stage: Stage
    reason: str
    detail: str
    path: str
    raw_digest: str


async def examine(
    body: bytes, location: str, checks: Checks, previous: Previous = nothing_before, policy: EndpointPolicy = STRICT
) -> Examined | Unusable:
    """Read, verify and digest one body; `location` is the URL it came from, "" for local ones; `policy` is the source's.

    A card without a URL of its own is verified with the keys of the origin that its first interface names: whoever signed it
    holds the keys of the place that calls would go to.
    """
    raw = raw_digest(body)
    reading = read_card(body, location or None)
    if reading.card is None or reading.document is None:
        why = reading.refusal or DocumentRefused("not-a-card", "no card in it")
        return Unusable("validate" if reading.document else "parse", why.code, why.message[:300], why.path, raw)
    place = location if "://" in location else reading.card.supported_interfaces[0].url
    verified = await checks.verify(body, reading.document, place, previous)
    if verified.summary.outcome == "invalid":
        reason = f"signature-{verified.summary.reason or 'invalid'}"
        return Unusable("verify", "signature-invalid", reason, "$.signatures", raw)
    stranger = _stranger(reading.card, location) if policy.same_origin_only else None
    if stranger is not None:
        detail = f"{stranger.url[:200]} is not on the card's origin"
        return Unusable("policy", "cross-origin-interface", detail, member_at(stranger, "url"), raw)
    return Examined(
        reading.card,
        reading.shape,
        raw,
        semantic_digest(reading.document.value),
        signatures_digest(reading.card.signatures),
        verified,
        (*reading.diagnostics, *verified.findings),
    )


def _stranger(card: AgentCard, location: str) -> AgentInterface | None:
    """The first interface on another origin than the card's, chosen or not; none for a card without a place of its own.

    Such a card is refused whole, and not compiled to an unusable profile: the last good card stays, so callers go on to the
    endpoints that the source allows, and no endpoint of a hostile card is ever offered to anybody.
    """
    if "://" not in location:
        return None
    home = place(location).origin
    return next((one for one in card.supported_interfaces if place(one.url).origin != home), None)
