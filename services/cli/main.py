"""The way in. Nothing else is imported before Ctrl-C has an answer: Python would show its traceback to the impatient."""

import contextlib
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INTERRUPTED = 130
DEFECT = 70


def main() -> None:
    """The entry point of the `cardtrail` program."""
    sys.unraisablehook = _unraisable
    _on_interruption(_leave)
    from cardtrail.services.cli.shell.running import run, unbreakable  # noqa: PLC0415 — see above

    unbreakable()
    try:
        _on_interruption(signal.default_int_handler)
        code = run(sys.argv[1:])
        _on_interruption(_leave)
    except KeyboardInterrupt:  # once more, while the first was being answered
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 — what could not even be told
        code = _last_words(error)
    sys.exit(code)


def _last_words(error: Exception) -> int:
    """One line past all streams and formats, where telling it failed, too."""
    said = f"error[internal-error] {type(error).__name__} while an error was told: {error}"
    with contextlib.suppress(OSError):
        os.write(2, ascii(said)[1:-1].encode() + b"\n")
    return DEFECT


def _on_interruption(answer: "Callable[[int, FrameType | None], object]") -> None:
    """Answer Ctrl-C so; where whoever started us has it ignored (`nohup`, a shell's `&`), it stays ignored."""
    if signal.getsignal(signal.SIGINT) in {signal.default_int_handler, _leave}:
        signal.signal(signal.SIGINT, answer)


def _leave(number: int, frame: "FrameType | None") -> None:
    """End at once: an import or the interpreter's own end can be broken off, but not be unwound without a word."""
    del number, frame
    os._exit(INTERRUPTED)


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C that met a finalizer, where Python would print it and go on."""
    if what.exc_type is KeyboardInterrupt:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(what)
