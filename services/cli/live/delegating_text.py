"""`can-i-delegate` for people: a row per candidate with the reason last, then the answer; or workflows × agents."""

from collections.abc import Iterator
from datetime import datetime

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.when import age
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.can_i_delegate import CandidateAnswer, CanIDelegateOutput, SkillAnswer
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_HEADER = ("AGENT", "CARD", "VERDICT", "EVIDENCE", "SEEN", "WHY")
_ORDER = ("breaking", "unknown", "review", "compatible")


def lines(found: CanIDelegateOutput, style: Style, *, anybody: bool = False) -> Iterator[str]:
    """The candidates of each skill asked for, then one line that answers for each; `anybody` as it was asked."""
    now = datetime.fromisoformat(found.at)
    several = len(found.answers) > 1
    rows = [
        ((plain(one.skill),) if several else ()) + _row(candidate, place, style, now)
        for one in found.answers
        for place, candidate in enumerate(one.candidates)
    ]
    if not found.answers:
        yield "unknown: the lock has no route yet (--wait 60s)"
        return
    yield from style.table((("SKILL",) if several else ()) + _HEADER, rows)
    for one in found.answers:
        yield (f"{plain(one.skill)}: " if several else "") + summary(one, anybody=anybody)


def summary(one: SkillAnswer, *, anybody: bool = False) -> str:
    """`no: use fares instead; 1 unknown (--wait 60s)`; to whom another candidate will do, that is a yes."""
    unknown = [candidate for candidate in one.candidates if candidate.answer == "unknown"]
    comes = not all(candidate.untracked for candidate in unknown)
    rest = f"; {len(unknown)} unknown{' (--wait 60s)' if comes else ''}" if unknown else ""
    unclear = "; several locks name this skill, their order is that of their pins" if one.ambiguous else ""
    if one.answer == "yes":
        who = plain(one.agent)
        instead = (
            f"yes: {who}, in place of {plain(one.candidates[0].agent)}"
            if anybody
            else f"no: use {who} instead (--any: a planner does)"
        )
        return (f"yes: {who}" if one.first else instead) + rest + unclear
    asks = f"ask {plain(one.person)}" if one.person else "nobody is left"
    return f"{one.answer}: {asks}{rest}{unclear}"


def matrix(found: CanIDelegateOutput, style: Style) -> Iterator[str]:
    """A row per workflow, a column per agent; the worst over the workflow's skills stands in the cell."""
    agents = sorted({one.agent for each in found.answers for one in each.candidates})
    cells: dict[tuple[str, str], dict[str, tuple[str, bool]]] = {}
    for each in found.answers:
        row = cells.setdefault((each.workflow, each.principal), {})
        for one in each.candidates:
            held, used = row.get(one.agent, ("compatible", False))
            row[one.agent] = (min(held, _word(one), key=_ORDER.index), used or one.agent == each.agent)
    header = ("WORKFLOW", *(plain(name) for name in agents))
    table = [(agent(*key), *(_cell(row.get(name), style) for name in agents)) for key, row in sorted(cells.items())]
    yield from style.table(header, table)
    yield f"{counted(len(cells), 'workflow')}, {counted(len(agents), 'agent')}; * used now, - no candidate"


def _cell(held: tuple[str, bool] | None, style: Style) -> str:
    if held is None:
        return "-"
    word, used = held
    return style.marked(VERDICTS.get(word, "unknown"), f"{word}{' *' if used else ''}")


def _row(one: CandidateAnswer, place: int, style: Style, now: datetime) -> tuple[str, ...]:
    terminal = bool(style.columns)
    word = _word(one)
    proof = f"{one.evidence} {age(one.evidence_at, now, terminal=terminal)}" if one.evidence_at else one.evidence
    return (
        plain(one.agent),
        plain(one.card) or "???",
        style.marked(VERDICTS.get(word, "unknown"), word),
        proof,
        age(one.seen_at, now, terminal=terminal),
        _why(one, first=place == 0),
    )


def _word(one: CandidateAnswer) -> str:
    return "unknown" if one.answer == "unknown" else one.verdict


def _why(one: CandidateAnswer, *, first: bool) -> str:
    if one.reasons:
        return "; ".join(_said(reason.code, plain(reason.detail)) for reason in one.reasons)
    return "as locked" if first else "satisfies the same lock"


def _said(code: str, detail: str) -> str:
    return detail if code in {"stopped", "review"} else f"{code}: {detail}"
