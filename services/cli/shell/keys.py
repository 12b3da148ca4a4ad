"""The keys that a command verifies with: files and URLs that were named, else what the settings trust for the card's origin."""

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.services.card.document import Document
from cardtrail.services.card.jws import kids_of
from cardtrail.services.card.key_store import origin_of
from cardtrail.services.card.keys import KeySet, parse_keys
from cardtrail.services.cli.live.config import is_written
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.inputs import is_url, read_file
from cardtrail.services.cli.shell.options import Reach

if TYPE_CHECKING:
    from cardtrail.services.settings import Settings


def trusted_keys(card: OpenedCard, named: tuple[str, ...], reach: Reach) -> KeySet:
    """The keys; a URL is asked through the door, and nothing that the card itself names is.

    Raises:
        UsageError: no key set, or a URL that may not be called. Unreachable: a key set's host does not answer.
    """
    if named:
        keys = KeySet()
        for name in named:
            data = _fetched(name, reach) if is_url(name) else read_file(name).data
            keys = keys.joined(parse_keys(data, file=name, source=name if is_url(name) else ""))
        return keys
    if not is_written(reach.config):
        return KeySet()
    from cardtrail.services.cli.live.config import load_settings  # noqa: PLC0415 — keys in hand need no settings

    return asyncio.run(_of_settings(card, load_settings(reach.config)))


def summary(card: OpenedCard, document: Document, named: tuple[str, ...], reach: Reach) -> SignatureSummary:
    """What verification says of a signed card. Raises as `trusted_keys`."""
    from cardtrail.services.card.verify import verify  # noqa: PLC0415 — a list of keys needs no cryptography

    keys = trusted_keys(card, named, reach)
    return verify(card.given.data, document, keys, now=datetime.now(UTC), origin=origin_for(card)).summary()


def origin_for(card: OpenedCard) -> str:
    """The origin whose keys count: where the card was had, else the place that its first interface names."""
    if card.given.location:
        return origin_of(card.given.location)
    held = card.reading.card
    return origin_of(held.supported_interfaces[0].url) if held is not None else ""


async def _of_settings(card: OpenedCard, settings: "Settings") -> KeySet:
    from cardtrail.services.fetcher.trusted import key_fetch, key_store  # noqa: PLC0415 — as above
    from cardtrail.services.outbound.client import Door  # noqa: PLC0415 — as above
    from cardtrail.services.outbound.resolve import static_names  # noqa: PLC0415 — as above

    document = card.reading.document
    value = document.value if document is not None and isinstance(document.value, dict) else {}
    async with Door(settings.limits, settings.tls, resolver=static_names(settings.hosts)) as door:
        fetch = key_fetch(settings, door.send)
        return await key_store(settings).resolve(origin_for(card), kids_of(value), datetime.now(UTC), fetch)


def _fetched(url: str, reach: Reach) -> bytes:
    from cardtrail.services.cli.shell.remote import fetch_keys  # noqa: PLC0415 — files need no network

    return fetch_keys(url, reach)
