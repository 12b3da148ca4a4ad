"""Work on a broker that may have no log yet: the one that is named or running, else a child of ours for as long as it takes."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.reachable import reach
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.live.tracker import Tracker, at_url, on_tracker, url_of
from cardtrail.services.settings import Settings
from cardtrail.services.system import broker

T = TypeVar("T")


def on_broker(settings: Settings, body: Callable[[str], Awaitable[T]]) -> T:
    """Do it with the broker's URL.

    Raises:
        StoreInUse: the data folder belongs to a server that does not answer. What the body raises.
    """
    if (settings.broker.data / "endpoint").exists() and asyncio.run(_is_up(url_of(settings))):
        return asyncio.run(_done(body, url_of(settings)))
    with broker(settings, os.environ) as url:
        return asyncio.run(_done(body, url))


def on_log(config: Path | None, body: Callable[[Tracker], Awaitable[T]]) -> T:
    """Do it on the tracker's log, whether the tracker runs or has left it in the data folder. Raises as `on_tracker`."""
    settings = load_settings(config)
    if not (settings.broker.data / "nats" / "jetstream").is_dir():
        return on_tracker(config, body)
    return on_broker(settings, lambda url: at_url(settings, url, body))


async def _done(body: Callable[[str], Awaitable[T]], url: str) -> T:
    return await body(url)


async def _is_up(url: str) -> bool:
    try:
        await reach(url)
    except BrokerUnreachable:
        return False
    return True
