"""`impact` for people: a row per workflow and skill, those that would stop first, and what would become of them."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.status_text import agent, behind
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.impact import Dependant, ImpactOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_HEADER = ("WORKFLOW", "SKILL", "OWNER", "ROLE", "NOW", "WITHOUT IT")


def lines(found: ImpactOutput, style: Style) -> Iterator[str]:
    """The table, then one line that counts."""
    if not found.dependants:
        yield f"no lock names {plain(found.agent)}: nobody would notice; {behind(found.lag)}"
        yield from _unread(found)
        return
    header = (*_HEADER, "WITH THIS CARD") if found.card else _HEADER
    yield from style.table(header, [_row(one, style, card=bool(found.card)) for one in found.dependants])
    what = "under this card" if found.card else "without it"
    workflows = f"{counted(found.workflows, 'workflow')} on {plain(found.agent)}"
    yield f"{workflows}; {what} {found.stopping} would stop; {behind(found.lag)}"
    yield from _unread(found)


def _unread(found: ImpactOutput) -> Iterator[str]:
    if found.lag.facts:
        yield "what stands here is not all that was told: the log is ahead of it, cardtrail doctor says who does not read on"


def _row(one: Dependant, style: Style, *, card: bool) -> tuple[str, ...]:
    cells = (
        agent(one.workflow, one.principal),
        plain(one.skill) or "-",
        plain(one.owner) or "-",
        f"{one.role}{', used' if one.used else ''}",
        style.marked(VERDICTS.get(one.verdict, "unknown"), one.verdict),
        _without(one),
    )
    return (*cells, _with(one, style)) if card else cells


def _without(one: Dependant) -> str:
    if one.verdict == "pending":
        return "no decision stands"
    if one.instead is not None:
        return f"{plain(one.instead)} takes over" if one.used else "goes on as it is"
    left = f"ask {plain(one.person)}" if one.person else "nobody is left"
    return f"stops: {left}" if one.used else f"is stopped already: {left}"


def _with(one: Dependant, style: Style) -> str:
    if one.with_card is None:
        return "-"
    rules = ", ".join(dict.fromkeys(each.rule for each in one.with_card.findings if each.severity != "note"))
    word = style.marked(VERDICTS[one.with_card.verdict], one.with_card.verdict)
    return f"{word}  {rules}".rstrip()
