"""A story as lines for a terminal. Pure: values in, lines out; all card text escaped and capped by the caller's rules."""

from collections.abc import Iterator
from datetime import datetime
from os.path import commonprefix

from cardtrail.events import Stored
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.cli.live.story import Story
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain, shown
from cardtrail.services.demo.travel import Scene
from cardtrail.services.rebuild import Compared

_LEVELS: dict[str, Level] = {"compatible": "ok", "review": "warning", "breaking": "error", "note": "note"}
_COLUMN = 10
_WIDEST = 64


def opening(lock: Lockfile, style: Style) -> Iterator[str]:
    """What the workflow needs."""
    need = lock.requires
    yield f"{lock.workflow} depends on {plain(lock.agent)}:"
    yield line(
        "interface", f"{lock.interface.binding} {lock.interface.version}{', streaming' if need.streaming else ''}"
    )
    for skill, wanted in need.skills.items():
        modes = f"{', '.join(wanted.input)} in, {', '.join(wanted.output)} out, scope {', '.join(wanted.scopes)}"
        yield line("skill", f"{skill}: {modes}")
    stand_ins = ", ".join(candidate.agent for candidate in lock.fallback)
    yield line("else", f"{stand_ins}, then {lock.person}")
    yield line("verdict", style.marked("ok", "compatible") + "  pinned, and found as it was pinned")


def scene(number: int, told: Scene, style: Style) -> Iterator[str]:
    """One change: fetched, what differs, the verdict with its rules, what the planner got and when."""
    yield ""
    yield f"{number}. {told.title}"
    seen = told.observed
    if seen is not None:
        yield line(
            "fetched", f"HTTP {seen.status}, {seen.size:,} bytes, {seen.raw_digest[7:15]}…, {seen.latency_ms} ms"
        )
    for one in told.difference.differences:
        before, after = _pair(one.before, one.after)
        change = "" if one.mark == "+" else f"  {before} →"
        yield line("card", f"{one.mark} {plain(one.subject)}{change} {after if one.mark != '-' else 'gone'}")
    if told.difference.not_counted:
        yield line("", f"not counted: {', '.join(told.difference.not_counted)}")
    yield from _verdict(told, style)


def _verdict(told: Scene, style: Style) -> Iterator[str]:
    decision = told.decision
    if decision is None:
        yield line("verdict", style.marked("ok", "compatible") + "  silent: nothing that a call could feel")
        yield line("planner", "received nothing")
        return
    word = "recovered" if decision.recovered else decision.verdict
    yield line("verdict", style.marked(_LEVELS[decision.verdict], word))
    for finding in decision.findings:
        if finding.severity != "note":
            yield line("", _finding(finding))
    after = f"after {told.received.after_ms:.0f} ms" if told.received else ""
    yield line("planner", f"received {decision.verdict}, action {decision.action}, {after}: {_route(told)}")


def _finding(finding: Finding) -> str:
    return f"{finding.rule}  {plain(finding.subject)}: before {_short(finding.before)}, now {_short(finding.after)}"


def _pair(before: object, after: object) -> tuple[str, str]:
    """Both sides, each cut to where they begin to differ: what is alike says nothing."""
    one, other = shown(before), shown(after)
    if max(len(one), len(other)) <= _WIDEST:
        return one, other
    alike = len(commonprefix([one, other]))  # noqa: RUF071 — texts, and by character is what is wanted
    begin = max(0, alike - _WIDEST // 2)
    lead = "…" if begin else ""
    return lead + _cut(one[begin:]), lead + _cut(other[begin:])


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _short(value: object) -> str:
    return _cut(shown(value))


def _route(told: Scene) -> str:
    use, first = told.route.get("use"), told.route["candidates"][0]
    if use == first["agent"]:
        return f"goes on with {plain(use)}"
    return f"new delegations stop; use {plain(use)} instead" if use else f"ask {plain(told.route['person'])}"


def history(facts: list[Stored], agent: str) -> Iterator[str]:
    """What happened to one agent, as `cardtrail history` tells it."""
    yield ""
    yield f"The history of {plain(agent)}, as the log has it:"
    story = Story()
    for stored in facts:
        if getattr(stored.fact.data, "agent", None) == agent:
            story.tell(stored)
    for entry in story.entries:
        yield f"  {entry.first.sequence:>3}  {_clock(entry.first.stored_at)}  {entry.what:<9} {entry.text}"


def replayed(compared: list[Compared], seconds: float, style: Style) -> Iterator[str]:
    """Each projection beside its rebuild."""
    yield ""
    yield f"Replay of {compared[0].facts} facts into empty stores ({seconds:.1f} s):"
    for one in compared:
        same = one.live == one.rebuilt
        mark = style.marked("ok" if same else "error", "identical" if same else "different")
        yield f"  {mark}  {one.projection:<18} {one.rows:>3} rows  {one.live[7:23]}… {one.first_difference}".rstrip()


def line(name: str, text: str) -> str:
    """One named line of a scene."""
    return f"  {name:<{_COLUMN}}{text}"


def _clock(at: datetime) -> str:
    return at.strftime("%H:%M:%S.%f")[:-3]
