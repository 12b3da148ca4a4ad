"""Keys by origin: the operator's files, and key sets at allowlisted URLs with cache, one refetch and cool-down.

`jku` plays no part. A state machine without clock or network: the caller passes `now` and a `fetch`. Its state lives and ends
with the process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.value import Value
from cardtrail.services.card.jwk import Key
from cardtrail.services.card.keys import KeySet, parse_keys

Fetch = Callable[[str], Awaitable[bytes]]
_DEFAULT_PORTS = {"https": 443, "http": 80}


class Anchor(Value):
    """What the operator trusts for one origin (`https://host[:port]`): keys, key set URLs; revoked kids or thumbprints."""

    origin: str
    keys: KeySet = KeySet()
    urls: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


class _Cached(Value):
    keys: KeySet | None = None
    fetched_at: datetime | None = None
    tried_at: datetime | None = None
    problem: str = ""


class KeyStore:
    """Answers which keys an origin has now; durations in seconds.

    `lifetime_s`: how long a fetched set serves without a new look. `stale_s`: how much longer when the source does not
    answer. `cooldown_s`: the least time between two looks at one URL, whatever asks for them.
    """

    def __init__(
        self, anchors: Iterable[Anchor], *, lifetime_s: int = 3600, stale_s: int = 86_400, cooldown_s: int = 300
    ) -> None:
        self._anchors = {origin_of(anchor.origin): anchor for anchor in anchors}
        self._lifetime, self._stale, self._cooldown = (timedelta(seconds=s) for s in (lifetime_s, stale_s, cooldown_s))
        self._cache: dict[str, _Cached] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def keys_for(self, origin: str, now: datetime) -> KeySet:
        """The keys of an origin as far as they are known; empty for an origin without an anchor."""
        anchor = self._anchors.get(origin_of(origin))
        if anchor is None:
            return KeySet()
        keys = anchor.keys
        for url in anchor.urls:
            keys = keys.joined(self._fetched(url, now))
        return keys.revoking(anchor.revoked, now)

    def due(self, origin: str, kids: Iterable[str], now: datetime) -> tuple[str, ...]:
        """The URLs worth a look now: never seen or out of date, or one of `kids` is not known; never inside the cool-down."""
        anchor = self._anchors.get(origin_of(origin))
        if anchor is None:
            return ()
        known = self.keys_for(origin, now)
        unknown = any(not known.find(kid) for kid in kids)
        return tuple(url for url in anchor.urls if self._is_cool(url, now) and (unknown or self._is_old(url, now)))

    def received(self, url: str, data: bytes, now: datetime) -> None:
        """A key set came; one that cannot be read leaves the last good one in place."""
        try:
            keys = parse_keys(data, file=url, source=url)
        except CardtrailError as error:
            self.failed(url, f"{url}: {error.message}", now)
            return
        self._cache[url] = _Cached(keys=keys, fetched_at=now, tried_at=now)

    def failed(self, url: str, problem: str, now: datetime) -> None:
        """No usable answer; the last good set serves on until it is stale."""
        held = self._cache.get(url, _Cached())
        self._cache[url] = held.model_copy(update={"tried_at": now, "problem": problem})

    def ending(self, now: datetime, soon: timedelta) -> Iterator[tuple[str, tuple[Key, ...]]]:
        """By origin the keys from its URLs that end within `soon`, as far as they are known, the next one first.

        Providers leave ended keys standing: they are among them only where the origin has no key left that may be used.
        """
        for origin, anchor in sorted(self._anchors.items()):
            known = self.keys_for(origin, now).keys
            told = {"", "key-expired"} if all(key.trouble(now) for key in known) else {""}
            fetched = [key for key in known if key not in anchor.keys.keys and key.trouble(now) in told]
            ends = [(key.expires, key) for key in fetched if key.expires is not None and key.expires - now < soon]
            if ends:
                yield origin, tuple(key for _, key in sorted(ends, key=lambda one: (one[0], one[1].kid)))

    async def resolve(self, origin: str, kids: Iterable[str], now: datetime, fetch: Fetch) -> KeySet:
        """The keys of an origin, after at most one look at each URL that is due; callers at the same time share the look."""
        wanted = tuple(kids)
        for url in self.due(origin, wanted, now):
            async with self._locks.setdefault(url, asyncio.Lock()):
                if url in self.due(origin, wanted, now):
                    await self._look(url, now, fetch)
        return self.keys_for(origin, now)

    async def _look(self, url: str, now: datetime, fetch: Fetch) -> None:
        try:
            data = await fetch(url)
        except CardtrailError as error:
            self.failed(url, f"{url}: {error.message}", now)
        else:
            self.received(url, data, now)

    def _fetched(self, url: str, now: datetime) -> KeySet:
        held = self._cache.get(url, _Cached())
        problems = (held.problem,) if held.problem else ()
        if held.keys is None or held.fetched_at is None or now - held.fetched_at > self._lifetime + self._stale:
            return KeySet(sources=(url,), problems=problems)
        return held.keys.model_copy(update={"problems": held.keys.problems + problems})

    def _is_old(self, url: str, now: datetime) -> bool:
        fetched_at = self._cache.get(url, _Cached()).fetched_at
        return fetched_at is None or not timedelta() <= now - fetched_at < self._lifetime

    def _is_cool(self, url: str, now: datetime) -> bool:
        tried_at = self._cache.get(url, _Cached()).tried_at
        # An instant that is still to come was told by a clock that has been set back since: it holds nobody.
        return tried_at is None or not timedelta() <= now - tried_at < self._cooldown


def origin_of(url: str) -> str:
    """`scheme://host[:port]` of a URL, lower case, default ports left out; "" where there is none (RFC 6454)."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if not parts.scheme or not host:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme.lower()}://{shown}" + (
        f":{port}" if port and port != _DEFAULT_PORTS.get(parts.scheme.lower()) else ""
    )
