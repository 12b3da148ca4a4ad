"""`watch` for people: a line per decision; what the connection does goes beside it."""

from datetime import datetime

from cardtrail.services.cli.live.decisions import Seen
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.when import clock, long_span
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.watch import WatchedConnection, WatchedDecision, WatchedUnreadable
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_WORD = 12


def line(seen: Seen, style: Style, now: datetime, *, one_workflow: bool) -> str:
    """`09:12:31  ✓ → ✗ breaking    pricing  input-mode-removed; stop, use fares`."""
    match seen:
        case WatchedConnection(what="lost"):
            return f"connection lost at {seen.at[11:19]}; resumes after fact {seen.after}, nothing is missed"
        case WatchedConnection():
            return f"connection back at {seen.at[11:19]}, after fact {seen.after}"
        case WatchedUnreadable():
            return (
                f"{_at(seen.at, style, now)}  fact {seen.sequence} cannot be read: it is broken, or of a newer release"
            )
        case WatchedDecision():
            return _decision(seen, style, now, one_workflow=one_workflow)


def _decision(seen: WatchedDecision, style: Style, now: datetime, *, one_workflow: bool) -> str:
    before = style.marked(VERDICTS[seen.previous], "").rstrip() if seen.previous else "·"
    name = agent(seen.agent, seen.principal)
    whose = name if one_workflow else f"{plain(seen.workflow)} × {name}"
    verdict = style.marked(VERDICTS[seen.verdict], seen.verdict, _WORD)
    return f"{_at(seen.at, style, now)}  {before} → {verdict}  {whose}  {_what(seen)}"


def _what(seen: WatchedDecision) -> str:
    if seen.recovered:
        return "recovered" + (f" after {long_span(seen.lasted_s)}" if seen.lasted_s is not None else "")
    rules = ", ".join(finding.rule for finding in seen.findings if finding.severity != "note") or "nothing open"
    instead = f", use {plain(seen.use)}" if seen.use else f", ask {plain(seen.person)}" if seen.person else ""
    return f"{rules}; {seen.action}{instead}"


def _at(text: str, style: Style, now: datetime) -> str:
    at = datetime.fromisoformat(text)
    return (
        at.strftime("%H:%M:%S")
        if style.columns and at.date() == now.date()
        else clock(at, now, terminal=bool(style.columns))
    )
