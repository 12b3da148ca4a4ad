"""A walk over a registry for people: an entry a block, first those that would be watched, then the others with their reason."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted, short_digest
from cardtrail.services.cli.outputs.scan import CardSeen, ScannedAgent, ScanOutput
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain

_SHOWN = ("tags", "tenant", "owner", "status", "updated_at")


def lines(found: ScanOutput, style: Style) -> Iterator[str]:
    """Agents, refused entries, what the walk was like."""
    for one in found.agents:
        yield from _agent(one, style)
    for entry in found.refused:
        where = f"  {plain(entry.detail)}" if entry.detail else ""
        yield f"{style.marked('error', plain(entry.registry_id))}  {plain(entry.reason)}{where}"
    if not found.complete:
        problem = style.marked("warning", f"not in whole: {plain(found.problem)}")
        yield f"{problem}; what is missing here is not for that reason gone"
    agents = counted(len({one.agent for one in found.agents}), "agent")
    yield f"{plain(found.kind)} {plain(found.place)}: {agents} of {found.entries} entries would be watched"


def _agent(one: ScannedAgent, style: Style) -> Iterator[str]:
    level: Level = "ok" if one.card is None or not one.card.refused else "warning"
    who = f" as {plain(one.principal)}" if one.principal != "public" else ""
    value = plain(one.target.value)
    where = f"a card of its own, {short_digest(one.target.value)}" if one.target.kind == "document" else value
    yield f"{style.marked(level, plain(one.agent))}{who}  {where}"
    said = [f"{name} {plain(one.metadata[name])}" for name in _SHOWN if one.metadata.get(name)]
    if said:
        yield f"    {', '.join(said)}"
    if one.card is not None:
        yield f"    {_card(one.card)}"


def _card(card: CardSeen) -> str:
    if card.refused:
        return f"{card.kind}: {plain(card.refused)}  {plain(card.detail)}".rstrip()
    findings = f", {' '.join(plain(code) for code in card.findings)}" if card.findings else ""
    return f"card {plain(card.shape)}, version {plain(card.agent_version)}, signature {card.signature}{findings}"
