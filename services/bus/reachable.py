"""Whether there is a tracker to talk to: asked first by whoever has a person waiting, since the client below never gives up."""

import asyncio
import contextlib
import socket
from urllib.parse import urlsplit

from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.services.bus.bus import Bus, LogInfo
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable

_PORTS = {"nats": 4222, "tls": 4222, "ws": 80, "wss": 443}
_START = "cardtrail up, or set NATS_URL"


async def reach(url: str, *, within_s: float = 3.0) -> None:
    """Return once one of the servers (comma-separated) takes a connection.

    Raises:
        UsageError: `broker-url`, no URL of a broker. BrokerUnreachable: no server does; the message says why.
    """
    why = ""
    for host, port in [_server(part.strip()) for part in url.split(",")]:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), within_s)
        except OSError as error:  # TimeoutError is one
            why = _reason(error, within_s)
            continue
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return
    raise BrokerUnreachable("broker-unreachable", why, hint=_START, file=shown_url(url))


async def log_of(bus: Bus, url: str) -> LogInfo:
    """The log's state.

    Raises:
        Unreachable: `jetstream-off`, `log-missing`: the broker is there and the log is not. BrokerUnreachable: see there.
    """
    where = shown_url(url)
    try:
        await bus.connection.ask("INFO")
    except BrokerUnreachable as error:
        hint = "start nats-server with -js and a store directory, or connect as the services do"
        raise Unreachable(
            "jetstream-off", "the broker keeps no streams for this user", hint=hint, file=where
        ) from error
    try:
        return await bus.info()
    except BrokerRefused as error:
        raise Unreachable("log-missing", "this broker holds no Cardtrail log", hint=_START, file=where) from error


def shown_url(url: str) -> str:
    """The URL without user and password."""
    return ",".join(_without_secret(part.strip()) for part in url.split(","))


def _without_secret(part: str) -> str:
    scheme, mark, rest = part.rpartition("://")
    return f"{scheme or 'nats'}{mark or '://'}{rest.rpartition('@')[2]}"


def _server(part: str) -> tuple[str, int]:
    try:
        parts = urlsplit(part if "://" in part else f"nats://{part}")
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        port = 0
    if not port or not parts.hostname:
        raise UsageError("broker-url", "no URL of a broker", hint="as nats://host:4222", file=_without_secret(part))
    return parts.hostname, port


def _reason(error: OSError, within_s: float) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, TimeoutError):
        return f"no answer within {within_s:g} s"
    if isinstance(error, socket.gaierror):
        return "no such host"
    return (error.strerror or str(error)).lower()
