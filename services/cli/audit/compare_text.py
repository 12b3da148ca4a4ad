"""`show --against` for people: a line per difference, gone, new or changed."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted, short_digest
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.when import as_known
from cardtrail.services.cli.outputs.show import ComparedOutput, ShownSide
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain, shown, width

_WIDEST = 60


def lines(found: ComparedOutput, style: Style) -> Iterator[str]:
    """Which two states, then what differs."""
    yield f"- {_side(found.agent, found.before)}"
    yield f"+ {_side(found.agent, found.after)}"
    names = [plain(one.name if one.kind == "capability" else f"{one.kind} {one.name}") for one in found.changes]
    column = min(_WIDEST, max(map(width, names), default=0)) if style.columns else 0
    for one, name in zip(found.changes, names, strict=True):
        sign = "+" if one.before is None else "-" if one.after is None else "~"
        sides = [shown(side) for side in (one.before, one.after) if side is not None]
        yield f"{sign} {padded(name, column)}  {' → '.join(sides)}"
    yield counted(len(found.changes), "difference") if found.changes else "no difference"


def _side(name: str, side: ShownSide) -> str:
    when = as_known(side.as_of, side.through) if side.as_of else f"now, fact {side.through}"
    card = (
        f"{plain(side.version) or 'no version'}, profile {short_digest(side.profile_digest)}"
        if side.profile_digest
        else "no profile"
    )
    return f"{agent(name, side.principal)}  {when}  {card}"
