"""The whole tracker in one process group: a broker of our own unless one is named, the settings told, every service running."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cardtrail.events.errors import Unreachable
from cardtrail.services.anchors import anchors
from cardtrail.services.broker_users import broker_users, password, signed_in
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.ports import kept_port
from cardtrail.services.bus.presence import Presence
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.streams import sizes_for
from cardtrail.services.data_folder import audited, prepare
from cardtrail.services.outbound.trust import Trust
from cardtrail.services.service import AUDITING, HEALTH, SERVICES, TELLER
from cardtrail.services.settings import Settings
from cardtrail.services.supervise import Children
from cardtrail.services.telling import read_locks

_READY_S = 300.0
_ANSWERS_S, _AGAIN_S = 1.0, 0.05
_STARTING = "starting"


@dataclass(frozen=True, slots=True)
class System:
    """A running tracker: where its broker is, and its services."""

    url: str
    children: Children
    bus: Bus


@contextlib.asynccontextmanager
async def running(
    settings: Settings, config: Path | None, environment: Mapping[str, str], services: tuple[str, ...] = SERVICES
) -> AsyncIterator[System]:
    """Start everything, or these services alone, and say when it is ready; all of it ends with the context.

    Raises:
        UsageError: a lockfile, CA bundle, key file or the data folder cannot be used; told before anything starts.
        Unreachable: no broker.
    """
    read_locks(settings)
    Trust(settings.tls)
    anchors(settings.keys)
    free = prepare(settings.broker, environment)
    with broker(settings, environment) as url, audited(settings.broker.data, audit=services == AUDITING):
        async with Bus(url, name="cardtrail-up", streams=sizes_for(free)) as bus:
            sign, seen = Presence(bus.connection, _STARTING), {**environment, "NATS_URL": url}
            await sign.begin()
            room = partial(prepare, settings.broker, environment)
            async with Children(services, config, seen, room) as children:
                await ready(bus, services)
                await sign.end()
                yield System(url=url, children=children, bus=bus)


@contextlib.contextmanager
def broker(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """The broker's URL: NATS_URL, else the settings', else a child of ours whose URL stands in `endpoint` meanwhile.

    With `accounts` the child knows the services and the planners of the settings' workflows, and nobody else.
    """
    named = environment.get("NATS_URL") or settings.broker.url
    if named:
        yield named
        return
    endpoint = settings.broker.data / "endpoint"
    users = broker_users(read_locks(settings).values()) if settings.broker.accounts else ()
    for user in users:
        password(user, environment)
    folder, kept = settings.broker.data / "nats", settings.broker.data / "nats" / "port"
    with EmbeddedServer(folder, port=settings.broker.port or kept_port(kept), users=users) as server:
        kept.write_text(str(server.port))
        endpoint.write_text(server.url)
        try:
            yield signed_in(server.url, environment) if users else server.url
        finally:
            endpoint.unlink(missing_ok=True)


async def ready(bus: Bus, services: tuple[str, ...] = SERVICES) -> None:
    """Wait until every service answers, and what the settings say is told.

    Raises:
        Unreachable: `service-unreachable`, after five minutes.
    """
    deadline = asyncio.get_running_loop().time() + _READY_S
    for service in services:
        while True:
            try:
                health = await ask(bus, f"{HEALTH}.{service}", {}, within_s=_ANSWERS_S)
                if service != TELLER or not health["waits"]:
                    break
            except Unreachable:
                pass
            if asyncio.get_running_loop().time() > deadline:
                hint = "what it logged says why; where it logged nothing this machine is slow or busy: start it again"
                raise Unreachable("service-unreachable", f"{service} did not come up in {_READY_S:.0f} s", hint=hint)
            await asyncio.sleep(_AGAIN_S)


async def is_starting(bus: Bus) -> bool:
    """Whether somebody starts a tracker on this broker, and not all of its services answer yet.

    Raises:
        BrokerUnreachable.
    """
    with foreign():
        return await Presence(bus.connection, "").of(_STARTING)


def endpoint(settings: Settings, environment: Mapping[str, str]) -> str:
    """Where a running tracker's broker is: NATS_URL, the settings' URL, the one that `up` has started, else the default port."""
    named = environment.get("NATS_URL") or settings.broker.url
    if named:
        return named
    try:
        found = (settings.broker.data / "endpoint").read_text().strip()
    except OSError:
        return "nats://127.0.0.1:4222"
    return signed_in(found, environment) if settings.broker.accounts else found
