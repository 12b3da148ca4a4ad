"""Verification of a card's signatures (A2A §8.4.3, RFC 7515): which key, under which form, what it does not cover, why not.

Keys come from the caller alone: `jku`, `jwk`, `x5u` and `x5c` are seen, noted and never believed. Nothing raises for what a card
holds.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from jwcrypto.common import JWException
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import InputRefused
from cardtrail.services.card.jwk import Key
from cardtrail.services.card.jws import Jws, check_jws, read_jws
from cardtrail.services.card.keys import KeySet
from cardtrail.services.card.parse import Document
from cardtrail.services.card.payloads import Candidate, Payloads, is_legacy
from cardtrail.services.card.rewritten import explain, only_urls
from cardtrail.services.card.signature_reasons import REASONS
from cardtrail.services.card.verification import SignatureResult, Verification, capped, overall

MAX_SIGNATURES = 16

Card = dict[str, Any]


def verify(  # noqa: PLR0913 — what a judgement needs: the card, the keys, where, when, and what was there before
    data: bytes,
    document: Document,
    keys: KeySet,
    *,
    now: datetime,
    origin: str = "",
    previous: Card | None = None,
) -> Verification:
    """Judge every signature of a card against the keys held for its origin.

    `data` are the received bytes, `document` their strict reading; `origin` is where they came from; `previous` is the last
    card of this agent that verified, which lets a mismatch name the members that differ.
    """
    card = document.value if isinstance(document.value, dict) else {}
    entries = card.get("signatures")
    if entries in (None, []):
        return Verification(outcome="absent", body_digest=raw_digest(data))
    bench = _Bench(card, len(data) or 1, keys, now, origin, previous)
    results = tuple(bench.results(entries if isinstance(entries, list) else [entries]))
    return Verification(
        outcome=overall([result.outcome for result in results]),
        signatures=results,
        body_digest=raw_digest(data),
        checked=_checked(keys, origin),
        problems=keys.problems,
    )


def _checked(keys: KeySet, origin: str) -> tuple[str, ...]:
    place = f" for {origin}" if origin else ""
    return (
        "algorithm allowed",
        f"{len(keys.keys)} key{'' if len(keys.keys) == 1 else 's'} held{place}",
        "key not expired or revoked",
        "jku ignored",
    )


class _Bench:
    """Everything that stays the same from one signature of a card to the next."""

    def __init__(  # noqa: PLR0913, PLR0917 — the arguments of verify, read
        self, card: Card, size: int, keys: KeySet, now: datetime, origin: str, previous: Card | None
    ) -> None:
        self._card, self._keys, self._now, self._origin, self._previous = card, keys, now, origin, previous
        self._payloads = Payloads(card)
        # Explaining is for one signature of a card of usual size; a hostile one must not buy work with it.
        self._guesses = max(2, min(32, 500_000 // size))

    def results(self, entries: list[Any]) -> Iterator[SignatureResult]:
        """One result per distinct signature; spellings of the same one count once, and after 16 nobody looks any more."""
        seen: set[str] = set()
        for index, entry in enumerate(entries):
            if len(seen) == MAX_SIGNATURES:
                yield _refused(index, None, InputRefused("too-many", f"only {MAX_SIGNATURES} signatures are looked at"))
                return
            try:
                jws = read_jws(entry)
            except InputRefused as refusal:
                seen.add(f"#{index}")
                yield _refused(index, None, refusal)
                continue
            if jws.identity not in seen:
                seen.add(jws.identity)
                yield self._judge(index, jws)

    def _judge(self, index: int, jws: Jws) -> SignatureResult:
        try:
            check_jws(jws)
            keys = self._usable_keys(jws)
        except InputRefused as refusal:
            return _refused(index, jws, refusal)
        return self._matched(index, jws, keys) or self._unmatched(index, jws, keys)

    def _usable_keys(self, jws: Jws) -> tuple[Key, ...]:
        kid, alg = jws.text("kid"), jws.text("alg")
        named = self._keys.find(kid)
        if not named:
            foreign = jws.text("jku") and jws.text("jku") not in self._keys.sources
            problem = "; ".join(self._keys.problems)
            raise InputRefused(
                "untrusted-jku" if foreign else "unknown-kid", problem or f"no key {kid[:64]!r} is held here"
            )
        fitting = tuple(key for key in named if key.kty and key.takes(alg))
        if not fitting:
            raise InputRefused(named[0].problem or "alg-key-mismatch", f"the key is not one for {alg}")
        usable = tuple(key for key in fitting if not key.trouble(self._now))
        if not usable:
            raise InputRefused(fitting[0].trouble(self._now), f"the key {kid[:64]!r} may not be used")
        return usable

    def _matched(self, index: int, jws: Jws, keys: tuple[Key, ...]) -> SignatureResult | None:
        for candidate in self._payloads:
            key = _key_that_verifies(jws, keys, candidate)
            if key is not None:
                return SignatureResult(
                    **_labels(index, jws),
                    outcome="verified",
                    form=candidate.forms[0],
                    forms=candidate.forms,
                    thumbprint=key.thumbprint,
                    payload_digest=raw_digest(candidate.payload),
                    uncovered=capped(candidate.uncovered),
                )
        return None

    def _unmatched(self, index: int, jws: Jws, keys: tuple[Key, ...]) -> SignatureResult:
        if self._payloads.refusal is not None:
            return _refused(index, jws, self._payloads.refusal, thumbprint=keys[0].thumbprint)

        def verifies(card: Card) -> bool:
            return any(_key_that_verifies(jws, keys, candidate) for candidate in Payloads(card))

        guesses, self._guesses = self._guesses, 0
        differences = explain(self._card, self._previous, (self._origin, jws.text("jku")), verifies, guesses)
        reason = "rewritten" if only_urls(differences) else "no-form-matches"
        first = f"; first difference {differences[0].path}" if differences else ""
        tried = "the raw form does not match" if is_legacy(self._card) else "none of the five forms matches"
        refused = _refused(index, jws, InputRefused(reason, tried + first))
        return refused.model_copy(update={"differences": differences, "thumbprint": keys[0].thumbprint})


def _key_that_verifies(jws: Jws, keys: tuple[Key, ...], candidate: Candidate) -> Key | None:
    signing_input = f"{jws.protected}.{candidate.encoded}".encode()
    return next((key for key in keys if _is_good(key, jws, signing_input)), None)


def _is_good(key: Key, jws: Jws, signing_input: bytes) -> bool:
    try:
        JWA.signing_alg(jws.text("alg")).verify(_jwk(tuple(key.jwk.items())), signing_input, jws.signature)
    except (InvalidSignature, UnsupportedAlgorithm, JWException, ValueError):
        return False
    return True


@lru_cache(maxsize=256)
def _jwk(members: tuple[tuple[str, str], ...]) -> JWK:
    return JWK(**dict(members))


def _labels(index: int, jws: Jws | None) -> dict[str, Any]:
    if jws is None:
        return {"index": index}
    kid, alg = jws.text("kid")[:256] or None, jws.text("alg")[:32] or None
    return {"index": index, "kid": kid, "alg": alg, "identity": jws.identity, "notes": jws.notes}


def _refused(index: int, jws: Jws | None, refusal: InputRefused, *, thumbprint: str = "") -> SignatureResult:
    outcome, hint = REASONS[refusal.code]
    labels = _labels(index, jws)
    return SignatureResult(
        **labels, outcome=outcome, reason=refusal.code, detail=refusal.message, hint=hint, thumbprint=thumbprint
    )
