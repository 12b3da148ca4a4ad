"""The one pipeline: locate → fetch → read → verify → fact, for every kind of target (A2A §8.2, §8.6; RFC 9111).

On the warm path it costs one conditional request. Now and then the whole card is asked for as well, to test whether the
server's 304 can be believed, and every place is tried again from the most specific one. Nothing raises; nothing is stored here.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.fetcher import observe
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks, Examined, Previous, Unusable, examine, nothing_before
from cardtrail.services.fetcher.findings import fetch_finding
from cardtrail.services.fetcher.freshness import conditions, confirms, is_due_in_full
from cardtrail.services.fetcher.local import read_local
from cardtrail.services.fetcher.locate import Place, counterpart, places
from cardtrail.services.fetcher.memory import LIED, Memory
from cardtrail.services.fetcher.next_place import goes_on, most_telling
from cardtrail.services.fetcher.remembered import compared
from cardtrail.services.fetcher.stated import contradictions
from cardtrail.services.outbound.address import judge_url
from cardtrail.services.outbound.call import Answer, Refusal, Send

_OK, _NOT_MODIFIED = 200, 304


class Outcome(NamedTuple):
    """The fact to tell, and the body to keep before it is told (None where nothing new was received)."""

    fact: CardFetched | CardRefused
    body: bytes | None = None


class _Found(NamedTuple):
    """A full observation; `body` None after a 304; `lied` where a 304 was said of a card that differs."""

    fact: CardFetched
    body: bytes | None = None
    lied: bool = False


class _Failed(NamedTuple):
    fact: CardRefused
    body: bytes | None = None


async def refresh(  # noqa: PLR0913, PLR0917 — what is asked, what is known, with what, and when
    errand: Errand, memory: Memory, send: Send, checks: Checks, now: datetime, previous: Previous = nothing_before
) -> Outcome:
    """One look: exactly one fact, whatever happens.

    `send` is the door's; `memory` what the facts before have left (`Memory.after`; a new one at first sight); `now` when this
    look takes place; `previous` gives the last body that verified.
    """
    look = _Look(errand, memory, send, checks, now)
    look.previous = previous
    failed: list[_Failed] = []
    if errand.target.kind in ("file", "document"):
        found: _Found | _Failed = await look.examined(read_local(errand.target), Place(""))
        if isinstance(found, _Found):
            return look.outcome(found)
        failed.append(found)
    for place in look.places():
        found = await look.ask(place)
        if isinstance(found, _Found):
            return look.outcome(await look.compared(found, place))
        failed.append(found)
        if not goes_on(found.fact, is_known=look.is_known(place)):
            break
    worst = most_telling(failed)
    return Outcome(worst.fact, worst.body) if worst else Outcome(observe.unlocated(errand))


class _Look:
    """One look under way: nothing changes but what `outcome` returns."""

    def __init__(self, errand: Errand, memory: Memory, send: Send, checks: Checks, now: datetime) -> None:
        self.errand, self.memory, self.send, self.checks, self.now = errand, memory, send, checks, now
        self.previous: Previous = nothing_before
        doubted = memory.doubted_until
        self.doubts = doubted is not None and now < doubted
        recovers = doubted is not None and not self.doubts
        self.whole = errand.forced or recovers or is_due_in_full(memory.full_at, now, errand.full_every_s)

    def places(self) -> Iterator[Place]:
        """Where to ask: the known place first, all of them from the top when the whole card is due."""
        every = places(self.errand.target, legacy_path=self.errand.legacy_path)
        known = [place for place in every if self.is_known(place)]
        yield from every if self.whole or not known else (*known, *(place for place in every if place not in known))

    def is_known(self, place: Place) -> bool:
        """Whether the last good card came from there."""
        return (
            self.memory.full is not None and judge_url(place.url, self.errand.policy).url == self.memory.full.location
        )

    async def ask(self, place: Place) -> _Found | _Failed:
        """One place: conditionally where something is held, without conditions where a 304 says nothing or must be tested."""
        sent = self._conditions(place)
        answer = await self.send(self.errand.call(place.url, sent))
        if isinstance(answer, Refusal) or answer.status != _NOT_MODIFIED:
            return await self.examined(answer, place)
        held = await self._confirmed(answer) if sent else None
        if held is not None and not self.whole:
            return held
        again = await self.examined(await self.send(self.errand.call(place.url, {})), place)
        if held is None or isinstance(again, _Failed):
            return held or again
        lied = self.memory.full is not None and again.fact.semantic_digest != self.memory.full.semantic_digest
        return again._replace(lied=lied)

    async def examined(self, answer: Answer | Refusal, place: Place) -> _Found | _Failed:
        """What an answer to an unconditional question is worth."""
        if isinstance(answer, Refusal):
            return _Failed(observe.refused(self.errand, answer))
        if answer.status not in (_OK, 0):
            return _Failed(observe.status_refused(self.errand, answer, self.now))
        here = answer.url if answer.status else ""
        seen = await examine(answer.body, here, self.checks, self.previous, self.errand.policy)
        if isinstance(seen, Unusable):
            return _Failed(observe.unusable(self.errand, answer, seen), answer.body)
        odd = (*_oddities(answer, place), *self._contradictions(answer.body))
        fact = observe.fetched(self.errand, answer, seen, odd, self.now)
        return _Found(fact, answer.body)

    async def compared(self, found: _Found, place: Place) -> _Found:
        """Now and then: whether old and new name serve the same card; and what a 304 was worth."""
        odd: list[Diagnostic] = []
        if found.lied and self.memory.full:
            odd.append(fetch_finding(LIED, digest=self.memory.full.semantic_digest))
        searched = self.errand.target.kind in ("domain", "base-url") and self.errand.legacy_path
        if self.whole and searched and found.body is not None and not place.is_legacy:
            odd += await self._other_name(found.fact, counterpart(place))
        if not odd:
            return found
        return found._replace(fact=found.fact.model_copy(update={"findings": (*odd, *found.fact.findings)}))

    def outcome(self, found: _Found) -> Outcome:
        """The fact, in its short form where nothing differs."""
        fact = observe.shortened(compared(found.fact, self.memory.trust), self.memory)
        return Outcome(fact, found.body if fact.same_as is None else None)

    def _contradictions(self, body: bytes) -> tuple[Diagnostic, ...]:
        return contradictions(self.errand.stated, body, embedded=self.errand.target.kind == "document")

    def _conditions(self, place: Place) -> dict[str, str]:
        full = self.memory.full
        usable = full is not None and self.is_known(place) and full.a2a_version == self.errand.a2a_version
        return conditions(self.memory.validators) if usable and not self.doubts and not self.errand.forced else {}

    async def _confirmed(self, answer: Answer) -> _Found | None:
        if not confirms(self.memory.validators, answer.headers):
            return None
        fact = observe.not_modified(self.errand, answer, self.memory, self.now)
        if fact is None:
            return None
        signature = await self.checks.still(fact.signature, fact.location)
        return None if signature is None else _Found(fact.model_copy(update={"signature": signature}))

    async def _other_name(self, used: CardFetched, other: Place) -> list[Diagnostic]:
        answer = await self.send(self.errand.call(other.url, {}))
        if isinstance(answer, Refusal) or answer.status != _OK:
            return []
        seen = await examine(answer.body, answer.url, self.checks)
        if not isinstance(seen, Examined) or seen.semantic_digest == used.semantic_digest:
            return []
        facts = {"url": other.url, "other": seen.semantic_digest, "used": used.location, "digest": used.semantic_digest}
        return [fetch_finding("CT101", **facts)]


def _oddities(answer: Answer, place: Place) -> tuple[Diagnostic, ...]:
    found = []
    if place.is_legacy:
        found.append(fetch_finding("CT100", url=place.url))
    if place.is_nested:
        found.append(fetch_finding("CT103", url=place.url))
    if answer.hops:
        found.append(fetch_finding("CT104", url=answer.url))
    return tuple(found)
