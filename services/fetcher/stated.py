"""What a registry states of a card that can be checked on the card itself: its digest. Pure.

An AI Catalog states it over the raw bytes of a card that lies elsewhere, and over the canonical ones (RFC 8785) of a card that it
holds; whoever re-serialises on the way cannot keep the raw one, so either will do.
"""

import re

from cardtrail.events.canonical import digest, raw_digest
from cardtrail.events.errors import InputRefused
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.parse import parse
from cardtrail.services.fetcher.findings import fetch_finding

_SHA256 = re.compile(r"(?:sha-?256[:=-])?([0-9a-f]{64})")


def contradictions(stated: str, body: bytes, *, embedded: bool = False) -> tuple[Diagnostic, ...]:
    """How a body differs from what was stated of it (`sha256:` + 64 hex, the prefix may be missing); "" states nothing.

    Of an `embedded` card the raw bytes are gone: where it has no canonical ones, nobody can tell.
    """
    if not stated:
        return ()
    read = _SHA256.fullmatch(stated.strip().lower())
    raw, canonical = raw_digest(body), _canonical(body)
    if read is None or (embedded and not canonical):
        return (fetch_finding("CT106", stated=ascii(stated[:80])),)
    if f"sha256:{read[1]}" in {raw, canonical}:
        return ()
    return (fetch_finding("CT105", stated=f"sha256:{read[1]}", digest=raw),)


def _canonical(body: bytes) -> str:
    try:
        return digest(parse(body).value)
    except (InputRefused, ValueError):
        return ""
