"""`cardtrail healthy SERVICE`: is one service alive? For containers' health checks."""

from pathlib import Path

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console

SILENT_S = 30.0


@command(
    "healthy",
    "cardtrail healthy decider",
    "cardtrail healthy projector --json",
    "NATS_URL=nats://broker:4222 cardtrail healthy fetcher",
)
@click.argument("service", help="A service of `cardtrail up`.")
@config_option
def run(console: Console, service: str, config: Path | None) -> int:
    """Ask one service whether it lives. A quiet log is healthy; a fold without a sign of life for 30 s is not (exit 1)."""
    from cardtrail.services.bus.questions import ask  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.service import HEALTH, known  # noqa: PLC0415 — same

    subject = f"{HEALTH}.{known(service)}"
    answer = on_tracker(config, lambda tracker: ask(tracker.bus, subject, {}, within_s=3.0))
    silent = max((fold["silent_s"] for fold in answer["folds"].values()), default=0.0)
    alive = silent < SILENT_S and answer["connected"]
    if console.json:
        console.document({"format": "cardtrail.healthy/1", "healthy": alive, **answer})
    else:
        word = console.out.marked("ok" if alive else "error", "healthy" if alive else f"silent for {silent:.0f} s")
        console.lines(f"{word}  {service}  {counted(len(answer['folds']), 'fold')}")
    return 0 if alive else 1
