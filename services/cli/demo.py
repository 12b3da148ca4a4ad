"""`cardtrail demo`: the worked example, end to end, on a real NATS server and real HTTPS."""

import asyncio
import logging
import tempfile
from pathlib import Path

import click

from cardtrail.services.cli.shell.command import OneOf, command
from cardtrail.services.cli.shell.console import Console


@command("demo", "cardtrail demo", "cardtrail demo evidence", "cardtrail demo travel --color always | less -R")
@click.argument(
    "story",
    type=OneOf(["travel", "procurement", "evidence", "all"]),
    default="travel",
    help="Which story: a lock and a card that changes; how a planner finds its agent; claims put to the test. Default travel.",
)
def run(console: Console, story: str) -> int:
    """Run a worked example: a travel planner's lock and an agent that changes its card, or how a planner finds its agent."""
    from cardtrail.services.demo.stories import STORIES  # noqa: PLC0415 — help needs no broker library

    logging.basicConfig(level=logging.ERROR)
    code = 0
    try:
        for name in STORIES if story == "all" else (story,):
            with tempfile.TemporaryDirectory(prefix="cardtrail-demo-") as folder:
                code = max(code, asyncio.run(STORIES[name](console, Path(folder))))
    except KeyboardInterrupt:
        console.hint("The demo was stopped before its end; its server, its agents and its files are gone.")
        raise
    return code
