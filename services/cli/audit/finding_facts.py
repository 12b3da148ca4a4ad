"""A fact by what people type: its sequence, the beginning of its id, or, for a decision, the workflow it stands for."""

import string

from cardtrail.events import AgentEvent, ChangeDecided, Stored
from cardtrail.events.errors import EventRefused, UsageError
from cardtrail.events.subjects import ALL, token
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.cli.shell.near import near
from cardtrail.services.declared import declared

_SHORTEST, _SHOWN = 4, 5
_ID = b'"id":"'
_UUID = 36
_DECISIONS = "cardtrail.decisions.>"


async def decision(bus: Bus, given: str) -> Stored:
    """A decision: by sequence, by id or its beginning, or the newest of a workflow.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`, `no-decision`.
    """
    try:
        found = await _by_sequence(bus, given)
    except EventRefused:
        found = None
    if found is not None and isinstance(found.fact.data, ChangeDecided):
        return found
    latest = (await bus.last(f"cardtrail.decisions.{token(given)}.>")).facts
    if latest:
        return latest[-1]
    if begun := await _by_beginning(bus, given, _DECISIONS):
        return _stored(begun)
    if found is None and (begun := await _by_beginning(bus, given, ALL)):
        found = _stored(begun)
    if found is not None:
        raise await _no_decision(bus, found)
    raise _unknown(given, near(given, (await declared(bus)).workflows()))


async def fact(bus: Bus, given: str) -> int:
    """The sequence of any fact: as given, or by its id or its beginning.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`.
    """
    if given.isdecimal() and await bus.raw(int(given)) is not None:
        return int(given)
    found = await _by_beginning(bus, given, ALL)
    if found is None:
        raise _unknown(given)
    return found.sequence


async def _by_sequence(bus: Bus, given: str) -> Stored | None:
    return await bus.at(int(given)) if given.isdecimal() and len(given) < len(str(1 << 63)) else None


async def _by_beginning(bus: Bus, given: str, subjects: str) -> Delivered | None:
    prefix = given.replace("-", "").lower()
    if len(prefix) < _SHORTEST or not set(prefix) <= set(string.hexdigits):
        return None
    found = []
    async for message in passage(bus.connection, FACTS, subjects):
        start = message.data.find(_ID) + len(_ID)
        if message.data[start : start + _UUID].replace(b"-", b"").startswith(prefix.encode()):
            found.append(message)
    if len(found) > 1:
        hint = f"by sequence: {', '.join(str(message.sequence) for message in found[:_SHOWN])}"
        raise UsageError("fact-ambiguous", f'"{given}" begins several facts', hint=hint)
    return found[0] if found else None


def _stored(one: Delivered) -> Stored:
    return Stored(sequence=one.sequence, stored_at=one.stored_at, fact=decode(one.data), raw=one.data)


def _unknown(given: str, workflows: str = "") -> UsageError:
    hint = "a sequence, an id or its beginning, or a workflow: cardtrail history AGENT --json shows them"
    if workflows:
        hint = f"a workflow ({workflows}), a sequence, or an id or its beginning: cardtrail history AGENT --json"
    return UsageError("fact-unknown", f'"{given}": no such fact on the log', hint=hint)


async def _no_decision(bus: Bus, found: Stored) -> UsageError:
    """What the fact is, and the decision that rests on it, else the next one about its agent."""
    event, following = found.fact.data, None
    agent, principal = (event.agent, event.principal) if isinstance(event, AgentEvent) else ("", "")
    hint = f"no decision came of it so far: cardtrail {f'history {agent}' if agent else 'status'}"
    async for message in passage(bus.connection, FACTS, _DECISIONS, found.sequence):
        try:
            told = decode(message.data)
        except EventRefused:
            continue
        made = told.data
        if not isinstance(made, ChangeDecided):
            continue
        if found.fact.id in {*made.causes, told.causation}:
            hint = f"cardtrail explain {message.sequence}: it rests on this fact"
            break
        if following is None and agent in {made.agent, made.watched} - {""} and made.principal == principal:
            following = message.sequence
            hint = f"cardtrail explain {following}: the next decision about {agent}"
    of = f" of {agent}" if agent else ""
    return UsageError("no-decision", f"fact {found.sequence} is no decision: {event.kind}{of}", hint=hint)
