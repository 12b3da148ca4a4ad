"""Verification as a look uses it: keys that the operator trusts for an origin, outcome and findings for the fact."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.errors import InputRefused, Unreachable
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.anchors import anchors
from cardtrail.services.card.document import Document
from cardtrail.services.card.jws import kids_of
from cardtrail.services.card.key_store import Fetch, KeyStore, origin_of
from cardtrail.services.card.keys import KeySet
from cardtrail.services.card.parse import parse
from cardtrail.services.card.paths import shown
from cardtrail.services.card.reverify import reverify
from cardtrail.services.card.signature_findings import signature_findings
from cardtrail.services.card.verification import Verification
from cardtrail.services.card.verify import verify
from cardtrail.services.fetcher.examine import Checks, Previous, Verified
from cardtrail.services.outbound.call import Call, Refusal, Send
from cardtrail.services.settings import Settings

_OK = 200
_OF_THE_KEY = frozenset({"unknown-kid", "untrusted-jku", "key-expired", "key-revoked", "key-not-yet-valid"})
"""Why a signature could not be judged that another key set, or another day, may mend."""


def key_store(settings: Settings) -> KeyStore:
    """The keys of the settings, by origin.

    Raises:
        UsageError: a key file cannot be read, or is no key set.
    """
    chosen = settings.discovery
    return KeyStore(
        anchors(settings.keys),
        lifetime_s=chosen.key_lifetime,
        stale_s=chosen.key_stale,
        cooldown_s=chosen.key_cooldown,
    )


def key_fetch(settings: Settings, send: Send) -> Fetch:
    """Key sets through the door, each URL under what the operator opened for it."""
    policies = {url: EndpointPolicy(cidrs=held.networks) for held in settings.keys.values() for url in held.urls}

    async def fetch(url: str) -> bytes:
        answer = await send(Call(url, policies[url], headers={"Accept": "application/jwk-set+json, application/json"}))
        if isinstance(answer, Refusal):
            raise Unreachable("keys-unreachable", f"{answer.reason} {answer.detail}".strip())
        if answer.status != _OK:
            raise Unreachable("keys-unreachable", f"HTTP {answer.status}")
        return answer.body

    return fetch


def told(store: KeyStore, now: datetime, soon: timedelta) -> Iterator[str]:
    """A line for each origin of whose fetched keys one ends soon."""
    for origin, (first, *more) in store.ending(now, soon):
        others = f", {len(more)} more of its keys soon after" if more else ""
        yield f"key {shown(first.kid or first.thumbprint)} of {origin} ends on {first.expires:%Y-%m-%d %H:%M} UTC{others}"


def checks(store: KeyStore, fetch: Fetch, clock: Callable[[], datetime]) -> Checks:
    """What a look verifies with; an unknown kid has the key sets of its origin looked at once more, and then not for a while."""

    async def verified(body: bytes, document: Document, place: str, previous: Previous) -> Verified:
        origin, now = origin_of(place), clock()
        card = document.value if isinstance(document.value, dict) else {}
        kids = kids_of(card)
        keys = await store.resolve(origin, kids, now, fetch) if kids else KeySet()
        said = verify(body, document, keys, now=now, origin=origin)
        if _wants_explaining(said):
            said = verify(body, document, keys, now=now, origin=origin, previous=await _card(previous))
        return Verified(said.summary(), signature_findings(said, document))

    async def still(known: SignatureSummary, place: str) -> SignatureSummary | None:
        if known.kid is None or (known.outcome != "verified" and known.reason not in _OF_THE_KEY):
            return known
        now = clock()
        keys = await store.resolve(origin_of(place), (known.kid,), now, fetch)
        if known.outcome == "verified":
            return known if reverify(known, keys, now) == known else None
        return None if any(not key.trouble(now) for key in keys.find(known.kid)) else known

    return Checks(verified, still)


def _wants_explaining(said: Verification) -> bool:
    """Whether a known key was tried and does not match: an older body may show which members were rewritten."""
    return said.outcome != "verified" and any(
        result.reason in {"no-form-matches", "rewritten"} for result in said.signatures
    )


async def _card(previous: Previous) -> dict[str, object] | None:
    body = await previous()
    if body is None:
        return None
    try:
        value = parse(body).value
    except InputRefused:
        return None
    return value if isinstance(value, dict) else None
