"""The same questions answered the slow, plain way: one loop over all facts, no projection, no store.

For logs whose facts come in order, each profile right behind its card.
"""

import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from cardtrail.events import (
    AgentEvent,
    AgentUntracked,
    CardFetched,
    CardRefused,
    ChangeDecided,
    LockfilePinned,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.fact import instant
from cardtrail.projections.capabilities import capabilities
from cardtrail.services.ledger.merkle import node_hash


class Seen(NamedTuple):
    """What `blame` must say of one value; a gap is None."""

    value: Any
    after: str | None
    first_seen: str
    sequence: int
    brought: list[int]


def about(facts: Iterable[Stored], agent: str, principal: str = "public") -> list[Stored]:
    """Everything about one agent as one principal sees it."""
    return [
        one
        for one in facts
        if isinstance(one.fact.data, AgentEvent)
        and (one.fact.data.agent, one.fact.data.principal) == (agent, principal)
    ]


def values(facts: Iterable[Stored], agent: str, capability: str) -> list[Seen]:  # noqa: C901 — one plain loop
    """Each value a capability had, oldest first."""
    found: list[Seen] = []
    card: tuple[int, str, str | None] = (0, "", None)
    confirmed: str | None = None
    lost: str | None = None
    last_good: str | None = None
    profiles: dict[UUID, int] = {}
    for one in about(facts, agent):
        event = one.fact.data
        if isinstance(event, CardFetched):
            at = instant(one.fact.time - timedelta(seconds=event.freshness.age_s))
            if event.same_as is None:
                card = (one.sequence, at, confirmed)
            elif lost is not None:
                if last_good is not None:
                    found.append(Seen(json.loads(last_good), lost, at, one.sequence, []))
                lost = None
            confirmed = confirmed if event.status == 304 else at
        elif isinstance(event, AgentUntracked) or (isinstance(event, CardRefused) and unreadable(event)):
            if found and found[-1].value is not None:
                last_seen = max(confirmed or "", found[-1].first_seen)
                found.append(Seen(None, last_seen, instant(one.fact.time), one.sequence, []))
            lost = instant(one.fact.time)
        elif isinstance(event, ProfileCompiled):
            profiles[one.fact.id] = card[0]
            value = capabilities(event.profile, event.identity).get(capability)
            if value != last_good if lost is None else value is not None:
                after = lost if value == last_good else card[2]
                found.append(Seen(value and json.loads(value), after, card[1], card[0], []))
            last_good, lost = value, None
        elif found and _follows(one, found[-1], profiles):
            found[-1].brought.append(one.sequence)
    return found


def _follows(one: Stored, last: Seen, profiles: dict[UUID, int]) -> bool:
    if isinstance(one.fact.data, LockfilePinned):
        return last.value is not None
    return isinstance(one.fact.data, ChangeDecided) and profiles.get(one.fact.causation or one.fact.id) == last.sequence


def unreadable(event: CardRefused) -> bool:
    """An answer that is no card; silence says nothing."""
    return event.stage in {"parse", "validate", "verify"} or (event.stage == "fetch" and event.status == 200)


def plain_root(hashes: list[bytes]) -> bytes:
    """RFC 9162 §2.1.1 as it is written."""
    if len(hashes) == 1:
        return hashes[0]
    half = 1
    while half * 2 < len(hashes):
        half *= 2
    return node_hash(plain_root(hashes[:half]), plain_root(hashes[half:]))
