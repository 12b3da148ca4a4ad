"""`replay` for people: a line per store, and the sum."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted, short_digest
from cardtrail.services.cli.outputs.replay import Derived, Replayed, ReplayOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain

_WORD, _NAME = 11, 26


def lines(found: ReplayOutput, style: Style) -> Iterator[str]:
    """What was compared, what was not and why."""
    for one in found.results:
        yield _line(one, style)
    if found.derived is not None:
        yield _derived(found.derived, style)
    for why in found.skipped:
        yield f"{style.marked('unknown', 'not known', _WORD)}  {plain(why)}"
    facts = max((one.facts for one in found.results), default=0)
    wrong = sum(not one.same and not one.repaired for one in found.results)
    ending = (
        f"{counted(wrong, 'store')} different: stop cardtrail up, or its projector, then cardtrail replay --repair"
        if wrong
        else "what was compared is as the log has it"
    )
    read = sum(one.facts for one in found.results)
    rate = f" ({read / found.seconds:,.0f} a second)" if found.seconds else ""
    stores = f", each read for {counted(len(found.results), 'store')}" if len(found.results) > 1 else ""
    yield f"{counted(facts, 'fact')}{stores} in {found.seconds:.1f} s{rate}: {ending}"


def _derived(one: Derived, style: Style) -> str:
    word = style.marked("ok", "identical", _WORD) if one.same else style.marked("error", "different", _WORD)
    others = f"; {one.others} by other rules" if one.others else ""
    pending = f"; {one.pending} not told yet" if one.pending else ""
    where = f"  first: {one.first_difference}" if one.first_difference else ""
    return f"{word}  {padded('decisions', _NAME)}  {counted(one.decisions, 'decision')} follow again{others}{pending}{where}"


def _line(one: Replayed, style: Style) -> str:
    name = padded(f"{one.projection}/{plain(one.principal)}", _NAME)
    if one.repaired:
        took = "" if one.changed is None else f", {counted(one.changed, 'key')} changed"
        return f"{style.marked('ok', 'repaired', _WORD)}  {name}  through fact {one.facts}{took}"
    word = style.marked("ok", "identical", _WORD) if one.same else style.marked("error", "different", _WORD)
    where = f"  first at {plain(one.first_difference)}" if one.first_difference else ""
    behind = f"  {counted(one.behind, 'fact')} behind" if one.behind else ""
    return f"{word}  {name}  {counted(one.rows, 'row')}  {short_digest(one.rebuilt)}{behind}{where}"
