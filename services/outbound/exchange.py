"""An answer on its way in: status and headers are here, the body is read under caps and against the call's deadline."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import httpcore

from cardtrail.services.outbound.body import Meter, accepted, media_type
from cardtrail.services.outbound.call import Answer, Call, Limits, Refusal, Refused
from cardtrail.services.outbound.echo import Echo
from cardtrail.services.outbound.faults import refused
from cardtrail.services.outbound.request import Hop

_NEVER_KEPT = frozenset(("set-cookie", "set-cookie2", "authentication-info", "proxy-authenticate"))
_BODYLESS = (204, 304)
_REDIRECTS = (301, 302, 303, 307, 308)


class Exchange:
    """One open answer; `refusal` is set when reading its body was cut short. The door closes it."""

    def __init__(  # noqa: PLR0913 — what was asked, of whom, within what, and what came
        self,
        call: Call,
        hop: Hop,
        limits: Limits,
        response: httpcore.Response,
        echo: Echo,
        *,
        address: str,
        started: float,
    ) -> None:
        """Take status and headers.

        Raises:
            Refused: `headers-too-large`, `credential-echoed`, `content-type`, `content-encoding`, `body-too-large`.
        """
        self._response, self._echo, self._started = response, echo, started
        self._deadline = started + limits.total_s
        self.status, self.url, self.hops, self.address = response.status, hop.target.url, hop.earlier, address
        self._target = call.url
        self.refusal: Refusal | None = None
        try:
            self.headers = _headers(response, limits.header_bytes)
            echo.whole(self.headers.values())
            self.media_type = media_type(self.headers)
            self._meter = self._metered(call.accepts, limits)
        except Refused as error:
            error.refusal = self.placed(error.refusal)
            raise

    @property
    def location(self) -> str | None:
        """Where a redirect points, None for every other answer."""
        return self.headers.get("location") if self.status in _REDIRECTS else None

    async def chunks(self) -> AsyncIterator[bytes]:
        """The decoded body in pieces; ends early, with `refusal` set, at a cap, the deadline or a broken stream."""
        if self._meter is None:
            return
        try:
            raw = self._response.aiter_stream()
            while True:
                async with asyncio.timeout_at(self._deadline):
                    chunk = await anext(raw, None)
                if chunk is None:
                    break
                yield self._echo.piece(self._meter.feed(chunk))
            self._meter.finish()
        except Refused as error:
            self.refusal = self.placed(error.refusal)
        except Exception as error:  # noqa: BLE001 — nothing foreign leaves the door; the table names what is known
            self.refusal = self.placed(refused(error, quoting=not self._echo.listens).refusal)

    async def read(self) -> Answer | Refusal:
        """The whole answer."""
        body = b"".join([chunk async for chunk in self.chunks()])
        if self.refusal is not None:
            return self.refusal
        return Answer(
            self.status,
            self.url,
            self.headers,
            body,
            self.media_type,
            self.address,
            self.latency_ms,
            self._meter.wire_bytes if self._meter else 0,
            self.hops,
        )

    @property
    def latency_ms(self) -> int:
        """Milliseconds since the call began."""
        return round((time.monotonic() - self._started) * 1000)

    def placed(self, refusal: Refusal) -> Refusal:
        """A refusal that this answer gave reason for: where it came from, with which status, how long it took."""
        return replace(
            refusal, target=self._target, address=self.address, status=self.status, latency_ms=self.latency_ms
        )

    def _metered(self, accepts: tuple[str, ...], limits: Limits) -> Meter | None:
        """How the body is read; None where it was not asked for, which only an answer outside 2xx may bring."""
        if self.status in _BODYLESS or accepted(self.media_type, accepts):
            return Meter(self.headers, limits)
        if 200 <= self.status < 300:  # noqa: PLR2004 — RFC 9110 §15.3
            shown = repr(self.media_type[:100]) if self.media_type else "nothing stated"
            raise Refused("fetch", "content-type", f"{shown}, where {' or '.join(accepts)} is wanted")
        return None


def _headers(response: httpcore.Response, limit: int) -> dict[str, str]:
    """Header fields by lower-case name, repeated ones joined (RFC 9110 §5.3); cookies are not taken."""
    if sum(len(name) + len(value) + 4 for name, value in response.headers) > limit:
        raise Refused("fetch", "headers-too-large", f"over {limit} bytes")
    found: dict[str, str] = {}
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name not in _NEVER_KEPT:
            found[name] = f"{found[name]}, {value}" if name in found else value
    return found
