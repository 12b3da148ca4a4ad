"""`cardtrail run SERVICE`: one service, as a container runs it."""

import asyncio
import logging
import os
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option, is_written, load_settings
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.log import begin, log_option

DEFAULT_URL = "nats://127.0.0.1:4222"


@command(
    "run",
    "cardtrail run fetcher --config cardtrail.toml",
    "NATS_URL=nats://broker:4222 cardtrail run projector",
    "cardtrail run decider --config /etc/cardtrail.toml --log json",
)
@click.argument("service", help="fetcher, compiler, decider, projector or another folder of services/ with an app.")
@config_option
@log_option
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop at the end of standard input.")
def run(console: Console, service: str, config: Path | None, log_format: str, *, with_parent: bool) -> None:
    """Run one service of the tracker, as a container does. It stops on SIGTERM after its batch in hand is committed."""
    from cardtrail.services.data_folder import prepare  # noqa: PLC0415 — help and usage errors need no broker library
    from cardtrail.services.service import serve  # noqa: PLC0415 — help and usage errors need no broker library

    del console
    settings = load_settings(config)
    begin(service, logging.INFO, log_format)
    url = os.environ.get("NATS_URL") or settings.broker.url or DEFAULT_URL
    free = prepare(settings.broker, {"NATS_URL": url})
    asyncio.run(serve(service, settings, url, free, with_parent=with_parent, tells=is_written(config)))
