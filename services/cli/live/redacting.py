"""A stored card deleted for good: the bytes first, then the fact, so that the log never says more than was done."""

import contextlib
import shlex
from collections.abc import AsyncIterator, Iterator

from cardtrail.events import BodyRedacted, CardFetched, CardRefused
from cardtrail.events.errors import EventRefused, UsageError
from cardtrail.events.subjects import subject
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.cli.audit.finding_facts import fact
from cardtrail.services.cli.formats.words import short_digest
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.telling import tell
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.redact import RedactOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain


async def redact(tracker: Tracker, given: str, reason: str, by: str) -> RedactOutput:
    """Delete the body that a look names, and tell of it; a second time nothing is told.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`, `body-unknown`, `log-audited`.
    """
    tracker.must_work()
    sequence, event = await _look(tracker.bus, await fact(tracker.bus, given))
    gone = BodyRedacted(agent=event.agent, principal=event.principal, raw_digest=event.raw_digest, reason=reason, by=by)
    held = await tracker.bus.get_body(event.agent, event.principal, event.raw_digest) is not None
    if held:
        await tracker.bus.redact_body(event.agent, event.principal, event.raw_digest)
    told = () if not held and await _was_told(tracker.bus, gone) else await tell(tracker, [gone])
    notes = tuple([note async for note in _copies(tracker.bus, gone)])
    return RedactOutput(
        format="cardtrail.redact/1", facts=told, by=by, notes=notes, raw_digest=event.raw_digest, look=sequence
    )


def lines(found: RedactOutput, style: Style) -> Iterator[str]:
    """Whose card, which look brought it, and the fact that says that it is gone."""
    card = f"card {short_digest(found.raw_digest)} of fact {found.look}"
    for fact_ in found.facts:
        yield f"{style.marked('ok', 'deleted')}  {agent(fact_.agent, fact_.principal)}  {card}; fact {fact_.sequence} says so"
    if not found.facts:
        yield f"· already deleted  {card}"


async def _look(bus: Bus, sequence: int) -> tuple[int, CardFetched | CardRefused]:
    """The look that brought the bytes, and where it stands: of one that brought the same again, the first."""
    stored = await bus.at(sequence)
    event = stored.fact.data if stored is not None else None
    if isinstance(event, CardFetched) and event.same_as is not None:
        return await _look(bus, event.same_as)
    if not isinstance(event, CardFetched | CardRefused) or not event.raw_digest:
        hint = "cardtrail history AGENT --json shows the looks that brought one"
        raise UsageError("body-unknown", f"fact {sequence} names no card", hint=hint)
    return sequence, event


async def _copies(bus: Bus, gone: BodyRedacted) -> AsyncIterator[str]:
    """Where the same bytes are still kept, as another principal or another agent was shown them, and what deletes them there."""
    looks: dict[tuple[str, str], int] = {}
    for kind in (CardFetched.kind, CardRefused.kind):
        async for message in passage(bus.connection, FACTS, f"cardtrail.events.*.*.*.{kind}.>"):
            if gone.raw_digest.encode() not in message.data:
                continue
            with contextlib.suppress(EventRefused):
                event = decode(message.data).data
                if isinstance(event, CardFetched | CardRefused) and event.raw_digest == gone.raw_digest:
                    looks.setdefault((event.agent, event.principal), message.sequence)
    for (name, principal), look in looks.items():
        if await bus.get_body(name, principal, gone.raw_digest) is not None:
            command = f"cardtrail redact {look} --reason {shlex.quote(plain(gone.reason))}"
            yield f"the same bytes are kept of {agent(name, principal)}: {command}"


async def _was_told(bus: Bus, gone: BodyRedacted) -> bool:
    async for message in passage(bus.connection, FACTS, subject(gone)):
        event = decode(message.data).data
        if isinstance(event, BodyRedacted) and event.raw_digest == gone.raw_digest:
            return True
    return False
