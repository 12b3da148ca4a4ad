"""A what-if for people: a line per stretch of the log in which a lock would have stood otherwise."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from cardtrail.services.audit.whatif import Differing, Verdicts
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.when import clock, long_span
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.what_if import WhatIfOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain


def lines(found: WhatIfOutput, style: Style, now: datetime) -> Iterator[str]:
    """The stretches, then the sum."""
    header = ("WORKFLOW", "AGENT", "FROM", "FOR", "WAS", "WOULD BE", "BY")
    if found.differing:
        yield from style.table(header, [_row(one, style, now) for one in found.differing])
    to = Counter(f"{one.was.verdict or 'undecided'} → {one.would.verdict or 'undecided'}" for one in found.differing)
    said = ", ".join(f"{number} {word}" for word, number in sorted(to.items())) or "nothing"
    yield f"{said} would differ: {counted(found.locks, 'lock')}, {counted(found.through, 'fact')} in {found.seconds:.1f} s"
    yield f"{counted(found.told, 'decision')} were told, {found.would_tell} would have been; nobody was told anything now"
    for what, held in (("rules", found.rules_versions), ("compiler", found.compiler_versions)):
        others = {version: number for version, number in held.items() if version != found.here[what]}
        if others:
            told = ", ".join(f"{number} by {plain(version)}" for version, number in others.items())
            yield f"in part by {what} {found.here[what]}: the log has {told}"


def _row(one: Differing, style: Style, now: datetime) -> tuple[str, ...]:
    since = datetime.fromisoformat(one.since)
    length = (
        "still" if one.until_at is None else long_span((datetime.fromisoformat(one.until_at) - since).total_seconds())
    )
    return (
        plain(one.workflow),
        agent(one.agent, one.principal),
        f"{clock(since, now, terminal=bool(style.columns))} fact {one.first}",
        length,
        _verdict(one.was, style),
        _verdict(one.would, style),
        _by(one),
    )


def _verdict(stands: Verdicts, style: Style) -> str:
    if stands.verdict is None:
        return "undecided"
    return f"{style.marked(VERDICTS[stands.verdict], stands.verdict)}, {stands.action}"


def _by(one: Differing) -> str:
    """The rules that fired on one side only; the same ones with another severity otherwise."""
    gone = [f"-{rule}" for rule in one.was.rules if rule not in one.would.rules]
    new = [f"+{rule}" for rule in one.would.rules if rule not in one.was.rules]
    return " ".join([*gone, *new]) or ", ".join(one.would.rules)
