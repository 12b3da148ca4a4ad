"""The door: every request of the product leaves here, to a judged address, under caps, with no credential but its host's own.

It stands on httpcore, the transport under httpx, without httpx itself: cookies, the environment's proxies, redirects, ambient
credentials and decoders without a cap are what httpx adds, and each of them is a hazard here (A2A 1.0.1 §13.2).
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

import httpcore

from cardtrail.services.outbound.address import JudgedUrl
from cardtrail.services.outbound.call import Answer, Call, Limits, Refusal, Refused
from cardtrail.services.outbound.certificates import Certificates
from cardtrail.services.outbound.echo import Echo
from cardtrail.services.outbound.exchange import Exchange
from cardtrail.services.outbound.faults import refused
from cardtrail.services.outbound.lane import Lane, Lanes
from cardtrail.services.outbound.proxy import Proxy
from cardtrail.services.outbound.request import Hop, dress, first_hop, next_hop
from cardtrail.services.outbound.resolve import JudgedNames, Resolver, system_resolver
from cardtrail.services.outbound.trust import Trust
from cardtrail.services.settings import LimitSettings, TlsSettings

_JUDGED_S = 30.0
_UNAUTHORIZED = 401


class Door:
    """Sends calls. `resolver` replaces the system's; names are resolved and judged again after `judged_s` seconds.

    Raises, when made:
        UsageError: the CA bundle or the proxy of the settings cannot be used.
    """

    def __init__(
        self,
        limits: LimitSettings | None = None,
        tls: TlsSettings | None = None,
        *,
        resolver: Resolver = system_resolver,
        judged_s: float = _JUDGED_S,
    ) -> None:
        """Open no connection yet."""
        limits, tls = limits or LimitSettings(), tls or TlsSettings()
        self.limits = Limits(
            connect_s=limits.connect_s,
            total_s=limits.fetch_total_s,
            header_bytes=limits.header_bytes,
            wire_bytes=limits.card_bytes,
            body_bytes=limits.card_bytes,
            redirects=limits.redirects,
        )
        self._trust, self._proxy = Trust(tls), Proxy(tls.proxy)
        self._names = JudgedNames(resolver, judged_s)
        self.certificates = Certificates()
        self._lanes = Lanes(per_host=limits.per_host, keepalive_s=_JUDGED_S)

    async def __aenter__(self) -> Self:
        """Use it as a context to have it closed."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._lanes.close()

    async def send(self, call: Call) -> Answer | Refusal:
        """One call, its whole answer or why there is none; raises nothing."""
        async with self.open(call) as opened:
            return opened if isinstance(opened, Refusal) else await opened.read()

    @asynccontextmanager
    async def open(self, call: Call) -> AsyncIterator[Exchange | Refusal]:
        """One call, its answer open for reading in pieces (`Exchange.chunks`), or why there is none; raises nothing."""
        started = time.monotonic()
        async with AsyncExitStack() as held:
            try:
                opened: Exchange | Refusal = await self._final(call, started, held)
            except Refused as error:
                latency = round((time.monotonic() - started) * 1000)
                opened = replace(error.refusal, target=call.url, latency_ms=latency)
            yield opened

    async def _final(self, call: Call, started: float, held: AsyncExitStack) -> Exchange:
        """The answer behind the last redirect."""
        limits = call.limits or self.limits
        hop = first_hop(call)
        while True:
            found = await self._exchange(call, hop, limits, started, held)
            if found.status == _UNAUTHORIZED and call.credential is not None:
                call.credential.rejected()
            if found.location is None:
                return found
            try:
                hop = next_hop(call, hop, found.location, limits.redirects)
            except Refused as error:
                error.refusal = found.placed(error.refusal)
                raise
            await held.aclose()

    async def _exchange(self, call: Call, hop: Hop, limits: Limits, started: float, held: AsyncExitStack) -> Exchange:
        deadline, echo = started + limits.total_s, Echo()
        try:
            async with asyncio.timeout_at(deadline):
                request, echo = await dress(call, hop.target, self.send)
                lane = await self._lane(call, hop.target, limits)
            await held.enter_async_context(lane.slot(deadline))
            async with asyncio.timeout_at(deadline):
                response = await lane.send(request, limits)
            held.push_async_callback(_close, response)
            self.certificates.saw(hop.target.host, response)
            return Exchange(call, hop, limits, response, echo, address=lane.peer(response), started=started)
        except Refused:
            raise
        except Exception as error:  # noqa: BLE001 — nothing foreign leaves the door; the table names what is known
            told = refused(error, quoting=not echo.listens)
            if told.refusal.stage == "connect":
                self._names.forget(hop.target.host)
            raise told from None

    async def _lane(self, call: Call, target: JudgedUrl, limits: Limits) -> Lane:
        certificate = call.credential.client_certificate if call.credential else None
        context, proxy = self._trust.context(certificate), self._proxy.route()
        addresses = () if proxy else await self._names.addresses(target, call.policy, limits.connect_s)
        # By the context: a client certificate that was renewed on disk opens connections of its own.
        return await self._lanes.lane((target.origin, tuple(sorted(addresses)), context), addresses, context, proxy)


async def _close(response: httpcore.Response) -> None:
    with suppress(Exception):  # the answer has been judged; how its connection ends changes nothing
        await response.aclose()
