"""The running tracker as a live command meets it: found, connected to, its log there; else one error and what to do."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.bus import Bus, LogInfo
from cardtrail.services.bus.reachable import log_of, reach
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.data_folder import is_audited
from cardtrail.services.settings import Settings
from cardtrail.services.system import endpoint

T = TypeVar("T")
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Tracker:
    """The settings in force here, the broker's URL, one connection, the log as it was when we came."""

    settings: Settings
    url: str
    bus: Bus
    log: LogInfo

    def now(self) -> datetime:
        """This machine's clock, UTC."""
        return here()

    def must_work(self) -> None:
        """Before something is told to the log, or asked of a service.

        Raises:
            UsageError: `log-audited`, the log is served for an audit and stays as it is.
        """
        if is_audited(self.settings.broker.data):
            hint = "cardtrail up without --audit goes on with this log"
            if self.log.imported:
                hint = "it came in a bundle: ask the tracker that the bundle was made by"
            raise UsageError("log-audited", "this log is served for an audit: nothing is told to it", hint=hint)


def here() -> datetime:
    """This machine's clock, UTC."""
    return datetime.now(UTC)


def url_of(settings: Settings) -> str:
    """Where the tracker's broker is: NATS_URL, the settings, the one that `up` has started, else the default port."""
    return endpoint(settings, os.environ)


def on_tracker(config: Path | None, body: Callable[[Tracker], Awaitable[T]]) -> T:
    """Connect, run the body, disconnect.

    Raises:
        BrokerUnreachable: nobody answers. Unreachable: there is no log. What the body raises.
    """
    settings = load_settings(config)
    logging.basicConfig(level=logging.ERROR)
    return asyncio.run(at_url(settings, url_of(settings), body))


async def at_url(settings: Settings, url: str, body: Callable[[Tracker], Awaitable[T]]) -> T:
    """The same on a broker whose place is known. Raises as `on_tracker`."""
    await reach(url)
    async with Bus(url, name="cardtrail-cli", patience_s=_PATIENCE_S) as bus:
        return await body(Tracker(settings, url, bus, await log_of(bus, url)))
