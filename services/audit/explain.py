"""Why a decision fell: what each finding rests on, since when it stands, who accepted it, down to the bytes of the card."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from uuid import UUID

from cardtrail.events import (
    AgentEvent,
    CardFetched,
    CardRefused,
    ChangeAcknowledged,
    ChangeDecided,
    Event,
    LockfilePinned,
    PolicyDeclared,
    ProbeRecorded,
    ProfileCompiled,
    RuntimeErrorObserved,
    Stored,
)
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.value import Value
from cardtrail.services.audit.card_place import CardPlace, place_in
from cardtrail.services.audit.lock_start import IDENTITY, Body, LockStart, lock_start
from cardtrail.services.audit.shown_by import FLAPPING, ShownBy, alternating
from cardtrail.services.audit.stands import Stands, stands
from cardtrail.services.verdict.rules import RULES

Role = Literal["profile", "card", "body", "refusal", "evidence", "lock", "policy", "other"]
_ROLES: dict[type[Event], Role] = {
    ProfileCompiled: "profile",
    CardFetched: "card",
    CardRefused: "refusal",
    ProbeRecorded: "evidence",
    RuntimeErrorObserved: "evidence",
    LockfilePinned: "lock",
    PolicyDeclared: "policy",
}


class Accepted(Value):
    """A person accepted a finding: the fact, who, why, until when."""

    sequence: int
    by: str
    reason: str
    until: str | None


class Reason(Value):
    """One finding: the rule in words, since which decision it stands, who accepted it, its member in the card now and then.

    `before` is the member in the card the lock started from; null where the finding is about no member. `look` is the sequence
    of the answer that showed the finding, where that is not the body in force: while cards take turns.
    """

    finding: Finding
    title: str
    explanation: str
    since: int
    since_at: str
    accepted: Accepted | None
    now: CardPlace | None
    before: CardPlace | None
    look: int | None = None


class Cause(NamedTuple):
    """A fact the decision rests on, and as what; `body` is an answer that brought a card's bytes: in force, or a finding's."""

    role: Role
    stored: Stored


@dataclass
class Explaining:
    """Fed with the facts about the agent, in stream order, before and after the decision."""

    decision: Stored
    event: ChangeDecided
    superseded_by: Stored | None = None
    stands: Stands | None = None
    _last: ChangeDecided | None = None
    _shown_by: ShownBy = field(default_factory=ShownBy)
    _found: dict[UUID, Stored] = field(default_factory=dict)
    _cards: dict[str, Stored] = field(default_factory=dict)
    _profile: ProfileCompiled | None = None
    _start: LockStart | None = None
    _since: dict[str, Stored] = field(default_factory=dict)
    _accepted: dict[str, Accepted] = field(default_factory=dict)

    def tell(self, stored: Stored) -> None:
        """One more fact."""
        event = stored.fact.data
        if not isinstance(event, AgentEvent):
            self._name(stored)
            return
        if event.principal != self.event.principal:
            return
        if isinstance(event, ChangeDecided):
            self._decided(stored, event)
        if (
            self.superseded_by is None
            and isinstance(event, ChangeAcknowledged)
            and event.workflow == self.event.workflow
        ):
            told = Accepted(sequence=stored.sequence, by=event.by, reason=event.reason, until=event.until)
            self._accepted[event.fingerprint] = told
        if stored.sequence > self.decision.sequence:
            return
        self._name(stored)
        if isinstance(event, CardFetched) and event.raw_digest:
            self._cards[event.raw_digest] = stored
        elif isinstance(event, ProfileCompiled):
            self._profile = event
            self._shown_by.compiled(stored, event)
        elif isinstance(event, LockfilePinned) and stored.fact.id in self.wanted:
            self._start = lock_start(event, self._profile)

    @property
    def wanted(self) -> tuple[UUID, ...]:
        """What the decision names as its causes, the fact that brought it first."""
        return self.event.causes

    @property
    def missing(self) -> tuple[UUID, ...]:
        """Causes that were not told so far: a candidate's lock lies under the first agent's name, a policy under nobody's."""
        return tuple(name for name in self.wanted if name not in self._found)

    def bodies(self) -> tuple[Body, ...]:
        """The cards to fetch: the one in force, the one the lock started from."""
        profiles = [one for one in (self._in_force(), *map(self._shows, self.event.findings)) if one is not None]
        now = ((one.agent, one.principal, one.card_digest) for one in profiles)
        return tuple(dict.fromkeys((*now, *([self._start.body] if self._start else []))))

    def causes(self) -> Iterator[Cause]:
        """Newest first; each fact once."""
        found = {one.sequence: Cause(_ROLES.get(type(one.fact.data), "other"), one) for one in self._found.values()}
        for profile in (self._in_force(), *map(self._shows, self.event.findings)):
            body = self._cards.get(profile.card_digest) if profile else None
            if body is not None:
                found[body.sequence] = Cause("body", body)
        yield from (found[sequence] for sequence in sorted(found, reverse=True))

    def reasons(self, bodies: Mapping[Body, bytes]) -> Iterator[Reason]:
        """Every finding, worst first as it was told."""
        for finding in self.event.findings:
            rule = RULES.get(finding.rule)
            first = self._since.get(finding.fingerprint, self.decision)
            yield Reason(
                finding=finding,
                title=rule.title if rule else "",
                explanation=rule.explanation if rule else "",
                since=first.sequence,
                since_at=_valid_from(first),
                accepted=self._accepted.get(finding.fingerprint),
                now=self._now(finding, bodies),
                before=self._before(finding, bodies),
                look=self._look(finding),
            )

    def _name(self, stored: Stored) -> None:
        if stored.fact.id in self.wanted:
            self._found.setdefault(stored.fact.id, stored)

    def _decided(self, stored: Stored, event: ChangeDecided) -> None:
        if (event.workflow, event.agent) != (self.event.workflow, self.event.agent):
            return
        if stored.sequence > self.decision.sequence:
            self.superseded_by = self.superseded_by or stored
            return
        self.stands, self._last = stands(self.stands, self._last, event), event
        self._shown_by.decided(event)
        standing = {one.fingerprint for one in event.findings}
        self._since = {name: self._since.get(name, stored) for name in standing}
        self._accepted = {name: told for name, told in self._accepted.items() if name in standing}

    def _in_force(self) -> ProfileCompiled | None:
        """The profile that was judged."""
        profiles = [one.fact.data for one in self._found.values() if isinstance(one.fact.data, ProfileCompiled)]
        judged = [one for one in profiles if one.profile_digest == self.event.profile_digest]
        return judged[-1] if judged else None

    def _shows(self, finding: Finding) -> ProfileCompiled | None:
        """The profile that shows a finding."""
        if finding.rule == FLAPPING or not alternating(self.event):
            return self._in_force()
        return self._shown_by.of(finding.fingerprint)

    def _look(self, finding: Finding) -> int | None:
        shows, judged = self._shows(finding), self._in_force()
        if shows is None or (judged is not None and shows.card_digest == judged.card_digest):
            return None
        body = self._cards.get(shows.card_digest)
        return body.sequence if body else shows.card_sequence

    def _now(self, finding: Finding, bodies: Mapping[Body, bytes]) -> CardPlace | None:
        profile = self._shows(finding)
        path = finding.path or IDENTITY.get(finding.subject, "")
        if profile is None or not path:
            return None
        body = (profile.agent, profile.principal, profile.card_digest)
        return place_in(profile.card_digest, bodies.get(body), path)

    def _before(self, finding: Finding, bodies: Mapping[Body, bytes]) -> CardPlace | None:
        if self._start is None or finding.before is None:
            return None
        profile = self._shows(finding)
        path = self._start.path(finding, profile.profile.provenance if profile else {})
        return place_in(self._start.body[2], bodies.get(self._start.body), path) if path else None


def _valid_from(stored: Stored) -> str:
    event = stored.fact.data
    return event.valid_from if isinstance(event, ChangeDecided) else ""
