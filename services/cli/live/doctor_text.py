"""`doctor` for people: what is not well with what to do, and how much is."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.outputs.doctor import Check, DoctorOutput
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain

_LEVELS: dict[str, Level] = {"ok": "ok", "warning": "warning", "failed": "error"}
_NAME = 12
_SAID = 500


def lines(found: DoctorOutput, style: Style, *, everything: bool) -> Iterator[str]:
    """Failures, warnings, with `everything` what is well; the sum last."""
    shown = [check for check in found.checks if everything or check.level != "ok"]
    yield from (line(check, style) for check in shown)
    well = sum(check.level == "ok" for check in found.checks)
    passed = counted(well, "check") if everything else f"{counted(well, 'more check')} (--all)"
    ending = "exit 1" if found.failed else "exit 0"
    sums = f"{found.failed} failed, {counted(found.warnings, 'warning')} ({ending})"
    yield f"{style.marked('ok', passed)}. {sums}. For a ticket: --json, which holds no secret"


def line(check: Check, style: Style) -> str:
    """One thing that was looked at, and what to do."""
    fix = f"    fix: {plain(check.fix, _SAID)}" if check.fix else ""
    return f"{style.marked(_LEVELS[check.level], check.name, _NAME)}  {plain(check.says, _SAID)}{fix}"
