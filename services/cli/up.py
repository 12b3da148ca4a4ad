"""`cardtrail up`: the whole tracker, until Ctrl-C."""

import asyncio
import logging
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cardtrail.services.cli.live.config import config_option, load_settings
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.log import VARIABLE, begin, log_option

if TYPE_CHECKING:
    from cardtrail.services.settings import Settings


@command(
    "up",
    "cardtrail up",
    "cardtrail up --config /etc/cardtrail.toml",
    "CARDTRAIL_DATA=incident cardtrail up --audit",
)
@click.option(
    "--audit", is_flag=True, help="Only the log and what is known from it: nothing is fetched, decided or told."
)
@config_option
@log_option
def run(console: Console, *, audit: bool, config: Path | None, log_format: str) -> None:
    """Run the whole tracker in one process group. It starts a NATS server of its own unless NATS_URL or the settings name one."""
    begin("up", logging.WARNING, log_format)
    asyncio.run(_up(console, load_settings(config), config, {**os.environ, VARIABLE: log_format}, audit=audit))


async def _up(
    console: Console, settings: "Settings", config: Path | None, environment: Mapping[str, str], *, audit: bool
) -> None:
    from cardtrail.services.cli.live.beginning import announced, beginning  # noqa: PLC0415 — same
    from cardtrail.services.service import AUDITING, SERVICES  # noqa: PLC0415 — same
    from cardtrail.services.system import running  # noqa: PLC0415 — help and usage errors need no broker library
    from cardtrail.services.web.guard import secret  # noqa: PLC0415 — same

    secret(settings.web.host, settings.web.token_env, os.environ)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    services = AUDITING if audit else SERVICES
    console.hint(announced(settings, environment, services))
    async with running(settings, config, environment, services) as system:
        console.hint(*await beginning(system, settings, audit=audit))
        await stop.wait()
        console.hint("ending …")
