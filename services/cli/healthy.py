"""`cardtrail healthy SERVICE`: is one service alive? For containers' health checks."""

from pathlib import Path
from typing import Any

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.text import plain

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
    """Ask one service whether it lives. A quiet log is healthy; a fold that fails, or is silent for 30 s, is not (exit 1)."""
    from cardtrail.services.bus.questions import ask  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.held_back import held_back  # noqa: PLC0415 — same
    from cardtrail.services.service import HEALTH, known  # noqa: PLC0415 — same

    subject = f"{HEALTH}.{known(service)}"
    answer = on_tracker(config, lambda tracker: ask(tracker.bus, subject, {}, within_s=3.0))
    trouble = _trouble(answer)
    alive = not trouble
    alarms = [*answer["alarms"], *filter(None, [held_back(answer["folds"])])]
    if console.json:
        console.document({"format": "cardtrail.healthy/1", "healthy": alive, **answer, "alarms": alarms})
    else:
        word = console.out.marked("ok", "healthy") if alive else console.out.marked("error", plain(trouble))
        console.lines(f"{word}  {service}  {counted(len(answer['folds']), 'fold')}")
        console.lines(*(f"{console.out.marked('warning', 'alarm')}  {service}  {plain(one)}" for one in alarms))
    return 0 if alive else 1


def _trouble(answer: dict[str, Any]) -> str:
    """Why the service does not do its work, "" where it does."""
    failing = [fold["failing"] for fold in answer["folds"].values() if fold.get("failing")]
    silent = max((fold["silent_s"] for fold in answer["folds"].values()), default=0.0)
    if failing:
        return f"cannot go on: {failing[0]}"
    if silent >= SILENT_S:
        return f"silent for {silent:.0f} s"
    return "" if answer["connected"] else "has lost the broker"
