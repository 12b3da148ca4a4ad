"""`replay --parked`: what running services hold back, tried again, because this release or the broker can do better now."""

from collections.abc import Iterator
from pathlib import Path

from cardtrail.events.errors import Unreachable
from cardtrail.services.bus.questions import ask
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.tracker import Tracker, on_tracker
from cardtrail.services.cli.outputs.replay import HeldBack, ParkedOutput
from cardtrail.services.cli.shell.console import Console, Style
from cardtrail.services.cli.shell.text import padded, plain
from cardtrail.services.held_back import AGAIN
from cardtrail.services.service import SERVICES

_LONGEST_S = 90.0
_WORD, _NAME = 11, 32


def parked(console: Console, config: Path | None) -> int:
    """Have all of it tried again, print what came of it; 1 where anything is still held back or a service is silent."""
    found = on_tracker(config, _asked)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*_lines(found, console.out))
    return 1 if found.silent or any(one.now for one in found.folds) else 0


async def _asked(tracker: Tracker) -> ParkedOutput:
    folds: list[HeldBack] = []
    silent: list[str] = []
    for service in SERVICES:
        try:
            told = await ask(tracker.bus, f"{AGAIN}.{service}", {}, within_s=_LONGEST_S)
        except Unreachable:
            silent.append(service)
            continue
        folds += [HeldBack(service=service, fold=fold, **one) for fold, one in told["folds"].items()]
    return ParkedOutput(format="cardtrail.replay-parked/1", folds=tuple(folds), silent=tuple(silent))


def _lines(found: ParkedOutput, style: Style) -> Iterator[str]:
    for one in found.folds:
        name = padded(f"{one.service} {plain(one.fold)}", _NAME)
        word = style.marked("error", "held back", _WORD) if one.now else style.marked("ok", "applied", _WORD)
        said = f"{counted(one.before, 'fact')} held back before, {one.now or 'none'} now"
        yield f"{word}  {name}  {said}{'' if one.tried else ': not tried yet, it is busy'}"
    for service in found.silent:
        yield f"{style.marked('unknown', 'not known', _WORD)}  {service}  does not answer"
    if not found.folds and not found.silent:
        yield "no fact is held back"
    if any(one.now for one in found.folds):
        yield "cardtrail doctor names the first of each and why"
