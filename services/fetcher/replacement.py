"""After a public look as a principal: is its extended card asked for, and which observation does its profile rest on (A2A §13.3).

An extended card replaces the public one as a whole until the agent says that it has none, or takes the flag out. Meanwhile the
public card is told `aside`. A refusal changes nothing: the last good card of this principal stays, whichever it was.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from cardtrail.events.canonical import digest
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.read import read_card
from cardtrail.services.fetcher import observe
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks, Unusable, examine
from cardtrail.services.fetcher.extended import (
    ExtendedCard,
    PublicInstead,
    extended_request,
    read_extended,
    why_not_asked,
)
from cardtrail.services.fetcher.findings import fetch_finding
from cardtrail.services.fetcher.freshness import conditions, confirms, is_due_in_full, remaining_s, same_tag
from cardtrail.services.fetcher.memory import LIED, Memory
from cardtrail.services.fetcher.refresh import Outcome
from cardtrail.services.fetcher.remembered import compared
from cardtrail.services.outbound.call import Answer, Call, Refusal, Send

Bodies = Callable[[str], Awaitable[bytes | None]]
"""The body of this agent and principal under a digest."""

_NOT_MODIFIED = 304
_ABOUT_EXTENDED = ("CT110", "CT111", "CT112")


@dataclass(frozen=True, slots=True)
class Known:
    """What the looks before have left: of the public card, and of the extended one (`full` None = none is in force)."""

    public: Memory
    extended: Memory

    @property
    def is_replaced(self) -> bool:
        """Whether this principal's profile rests on an extended card."""
        return self.extended.full is not None


@dataclass(frozen=True, slots=True)
class Means:
    """What a look works with; `client` decides which interface is asked."""

    send: Send
    checks: Checks
    client: ClientCapabilities
    bodies: Bodies


async def replaced(errand: Errand, outcome: Outcome, known: Known, means: Means, now: datetime) -> tuple[Outcome, ...]:
    """What a public look of a principal comes to: its own outcome, and that of the extended card where one was asked for.

    `errand` and `outcome` are the public look's; `known` is from before it. Nothing raises.
    """
    fact = outcome.fact
    if not isinstance(fact, CardFetched):
        return (outcome,)
    if errand.credential is None:
        return (_standing(outcome, known),)
    if fact.same_as is not None and not (errand.forced or errand.anew) and _is_fresh(known.extended, errand, now):
        return (_aside(outcome),)
    public = outcome.body or await means.bodies(observe.whole(fact, known.public).raw_digest)
    if public is None:  # redacted: nothing says whether the flag is set
        return (_aside(outcome) if known.is_replaced else outcome,)
    profile = _profile(public, means.client)
    if why_not_asked(profile, has_credential=True):
        return (_standing(outcome, known),)
    look = _Look(errand, known, means, now, observe.whole(fact, known.public).location)
    found = await look.ask(profile, public)
    if isinstance(found, PublicInstead) and known.is_replaced and fact.same_as is not None and _is_lapse(found):
        found = Outcome(look.refused(Refusal("authenticate", "public-card-again", found.findings[0].hint)))
    if isinstance(found, PublicInstead):
        return (_standing(outcome, known, found.findings),)
    keeps = known.is_replaced or fact.same_as is not None or isinstance(found.fact, CardFetched)
    return (_aside(outcome) if keeps else _standing(outcome, known), found)


class _Look:
    """One extended card asked for; `home` is where the agent was found: keys, locks and origins go by it."""

    def __init__(self, errand: Errand, known: Known, means: Means, now: datetime, home: str) -> None:
        self.held, self.public, self.means, self.now, self.home = known.extended, known.public, means, now, home
        self.errand = replace(errand, extended=True)
        self.whole = errand.forced or is_due_in_full(self.held.full_at, now, errand.full_every_s)
        self.request_id = f"cardtrail-{digest([errand.agent, errand.principal, now.timestamp()])[7:23]}"

    async def ask(self, profile: Profile, public: bytes) -> Outcome | PublicInstead:
        """Ask on the chosen interface; conditionally where that is a GET and something is held."""
        chosen = profile.interface
        assert chosen is not None, "asked only where there is an interface"  # noqa: S101 — `why_not_asked` says so
        self.errand = replace(self.errand, a2a_version=chosen.version or self.errand.a2a_version)
        call = self._call(profile, chosen)
        asked = {} if self.whole or call.method != "GET" else conditions(self.held.validators)
        answer = await self.means.send(replace(call, headers={**call.headers, **asked}))
        if isinstance(answer, Answer) and answer.status == _NOT_MODIFIED and asked:
            held = await self._confirmed(answer)
            if held is not None:
                return held
            answer = await self.means.send(call)
        if isinstance(answer, Refusal):
            return Outcome(self.refused(answer))
        return await self._read(chosen, answer, public)

    def refused(self, why: Refusal) -> CardRefused:
        """The fact about an extended card that was not had."""
        return observe.refused(self.errand, why)

    def _call(self, profile: Profile, chosen: Interface) -> Call:
        known = tuple(extension.uri for extension in profile.extensions if extension.required and extension.known)
        request = extended_request(chosen, request_id=self.request_id, extensions=known)
        return Call(
            request.url,
            self.errand.policy,
            "POST" if request.method == "POST" else "GET",
            request.headers,
            request.body,
            self.errand.credential,
        )

    async def _confirmed(self, answer: Answer) -> Outcome | None:
        if not confirms(self.held.validators, answer.headers):
            return None
        fact = observe.not_modified(self.errand, answer, self.held, self.now)
        if fact is None:
            return None
        signature = await self.means.checks.still(fact.signature, self.home)
        if signature is None:
            return None
        return self._told(fact.model_copy(update={"signature": signature, "location": self.home}), None)

    async def _read(self, chosen: Interface, answer: Answer, public: bytes) -> Outcome | PublicInstead:
        card = read_extended(chosen, answer, public, request_id=self.request_id)
        if isinstance(card, Refusal):
            after = observe.status_refused(self.errand, answer, self.now).retry_after_s
            return Outcome(self.refused(card).model_copy(update={"retry_after_s": after}))
        if isinstance(card, PublicInstead):
            return card
        if card.findings:
            return PublicInstead(card.findings)
        return await self._examined(card, answer)

    async def _examined(self, card: ExtendedCard, answer: Answer) -> Outcome:
        seen = await examine(card.body, self.home, self.means.checks, self._previous, self.errand.policy)
        if isinstance(seen, Unusable):
            return Outcome(observe.unusable(self.errand, answer, seen), card.body)
        fact = observe.fetched(self.errand, replace(answer, body=card.body), seen, (), self.now)
        fact = fact.model_copy(update={"location": self.home})
        held = self.held.full
        is_named_alike = same_tag(fact.validators.etag, self.held.validators.etag)
        if held is not None and is_named_alike and fact.semantic_digest != held.semantic_digest:
            lied = fetch_finding(LIED, digest=held.semantic_digest)
            fact = fact.model_copy(update={"findings": (lied, *fact.findings)})
        return self._told(fact, card.body)

    async def _previous(self) -> bytes | None:
        return await self.means.bodies(self.held.verified) if self.held.verified else None

    def _told(self, fact: CardFetched, body: bytes | None) -> Outcome:
        trust = self.held.trust if self.held.trust.seen else self.public.trust
        short = observe.shortened(compared(fact, trust), self.held)
        return Outcome(short, body if short.same_as is None else None)


def _is_fresh(held: Memory, errand: Errand, now: datetime) -> bool:
    """Whether the agent still vouches for the extended card in force; never for longer than one interval (RFC 9111 §4.2)."""
    if held.full is None or held.full_at is None:
        return False
    lifetime = min(remaining_s(held.freshness), errand.interval_s)
    return now < held.full_at + timedelta(seconds=lifetime)


def _is_lapse(found: PublicInstead) -> bool:
    """Whether the public card came back, as some servers give it to callers they do not know."""
    return any(finding.code == "CT112" for finding in found.findings)


def _profile(body: bytes, client: ClientCapabilities) -> Profile:
    card = read_card(body).card
    return Profile(usable=False) if card is None else compile_profile(card, client)


def _aside(outcome: Outcome) -> Outcome:
    return outcome._replace(fact=outcome.fact.model_copy(update={"aside": True}))


def _standing(outcome: Outcome, known: Known, findings: tuple[Diagnostic, ...] = ()) -> Outcome:
    """The public card is this principal's profile: told in full where an extended one was until now."""
    if not isinstance(outcome.fact, CardFetched) or not (known.is_replaced or findings):
        return outcome
    fact = observe.whole(outcome.fact, known.public)
    others = tuple(finding for finding in fact.findings if finding.code not in _ABOUT_EXTENDED)
    fact = fact.model_copy(update={"findings": (*findings, *others)})
    short = fact if known.is_replaced else observe.shortened(fact, known.public)
    return Outcome(short, outcome.body)
