"""The procurement story as lines for a terminal. Pure: values in, lines out."""

from collections.abc import Iterator

from cardtrail.events import CardFetched
from cardtrail.services.cli.live.choosing import lines
from cardtrail.services.cli.outputs.candidates import CandidatesOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.demo.procurement import PRINCIPAL, Extended, Found, Request, Warm


def sources(found: Found, style: Style) -> Iterator[str]:
    """Who was found where."""
    yield "A procurement planner needs an invoice in yen converted. Three sources may name an agent:"
    for one in found.tracked:
        where = f"registry {one.registry}" if one.registry else one.source_kind
        yield f"  {style.marked('ok', plain(one.agent))}  {where}  {plain(one.target.value)}"
    scanned = found.scanned
    known = f"{scanned.candidates} cards listed, {scanned.refused} of them watched already"
    yield f"  registry {plain(scanned.registry)}: {known}; the walk was {'complete' if scanned.complete else 'broken'}"
    yield from _sent(found.requests)


def chosen(found: CandidatesOutput, style: Style) -> Iterator[str]:
    """Both phases, then the texts as a ranking model would get them."""
    yield ""
    yield f"1. Who may convert it, for {PRINCIPAL}: {', '.join(found.wanted.tags)}, JSON in and out"
    yield from lines(found.model_copy(update={"texts": ""}), style)
    yield "What a ranking model is shown of them (--for-model):"
    yield from found.texts.splitlines()


def extended(found: Extended, style: Style) -> Iterator[str]:
    """What the extended card adds."""
    yield ""
    yield "2. The chosen agent declares an extended card; it is asked for with a token of the planner's own"
    for name, one in (("public", found.public), ("extended", found.extended)):
        lifetime = one.freshness.lifetime_s or 0
        yield f"  {name:<9} {one.raw_digest[7:15]}…, {one.size:,} bytes, fresh for {lifetime:,} s"
    yield f"  skills    {', '.join(plain(skill) for skill in found.skills)}"
    for skill in found.added:
        yield f"  {style.marked('ok', plain(skill))}  is in no public card: it is {PRINCIPAL}'s alone"


def warm(found: Warm, style: Style) -> Iterator[str]:
    """What the next invoice costs."""
    yield ""
    yield "3. The next invoice, an hour later"
    yield from _sent(found.requests)
    if isinstance(found.told, CardFetched):
        same = found.told.status == 304 and found.told.same_as is not None  # noqa: PLR2004 — HTTP
        say = f"HTTP {found.told.status}, the same as fact {found.told.same_as}: nothing parsed, nothing verified"
        yield f"  {style.marked('ok' if same else 'error', say)}"


def _sent(requests: list[Request]) -> Iterator[str]:
    for host, what, status in requests:
        yield f"  sent      {what} to {host}: {status}"
