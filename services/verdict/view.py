"""What a judge looks at: the lock, where it started from, what is known now; and what the judge says."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from cardtrail.events.change_decided import Action
from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.lockfile import Lockfile, SkillNeed
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Identity, Profile, SkillProfile
from cardtrail.events.model.value import Value
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.verdict.scheme_names import renamed

Ground = Literal["profile", "identity", "texts", "version", "url", "tenant", "place"]

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def is_checkable(text: str) -> bool:
    """Whether a digest in a lock has a form that can be compared."""
    return _DIGEST.fullmatch(text) is not None


class Baseline(Value):
    """Where a lock started: its own baseline, else the profile in force at the pin; None = not known, rules are silent."""

    profile: Profile | None = None
    identity: Identity | None = None
    texts_digest: str = ""


class Trouble(Value):
    """No usable answer since `since`; `beyond` says that the grace or staleness budget has run out.

    `kind`: `unreadable` (the card answered and cannot be read), `unreachable` (no answer), `signature` (refused by verification).
    """

    kind: Literal["unreadable", "unreachable", "signature"]
    since: datetime
    reason: str
    detail: str = ""
    beyond: bool = False


class ContradictingCalls(Value):
    """Calls that contradicted a claim: how many of the last how many, and whether a probe has confirmed it since."""

    claim_kind: str
    skill: str | None = None
    value: str | None = None
    contradicting: int = 0
    calls: int = 0
    confirmed: bool = False


class Observed(Value):
    """What is known of the agent now: the last good profile, trouble if any, evidence, flapping.

    `evidence` holds, per claim, the latest decisive outcome (held or contradicted) that still counts for `profile`.
    """

    profile: Profile | None = None
    identity: Identity | None = None
    profile_digest: str = ""
    texts_digest: str = ""
    trouble: Trouble | None = None
    flapping: bool = False
    evidence: tuple[Evidence, ...] = ()
    runtime: tuple[ContradictingCalls, ...] = ()


class Judgement(Value):
    """The verdict about one lock: findings worst first, in rule order; `degraded` names operations to avoid (`streaming`).

    `unjudged` names the rules that were silent because nothing is known of where the lock started.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    action: Action = "allow"
    degraded: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True)
class NeededSkill:
    """One skill the lock names: what is needed, what stood there before, what stands there now (None = not there)."""

    id: str
    need: SkillNeed
    before: SkillProfile | None
    after: SkillProfile | None


@dataclass(frozen=True)
class View:
    """What every rule is given. The lock's own members come first, then its baseline; `now` is the caller's instant."""

    lock: Lockfile
    baseline: Baseline
    observed: Observed
    policy: Policy
    now: datetime

    @property
    def before(self) -> Profile | None:
        """The profile the lock started from."""
        return self.baseline.profile

    @cached_property
    def after(self) -> Profile | None:
        """The last good profile while it is usable; None silences every rule about capabilities."""
        profile = self.observed.profile
        return profile if profile is not None and profile.usable else None

    @cached_property
    def skills(self) -> tuple[NeededSkill, ...]:
        """The skills the lock names, in id order; empty while there is no usable profile."""
        if self.after is None:
            return ()
        old = self.before.skills if self.before else {}
        needed = sorted(self.lock.requires.skills.items())
        return tuple(NeededSkill(id_, need, old.get(id_), self.after.skills.get(id_)) for id_, need in needed)

    @cached_property
    def renamed_schemes(self) -> dict[str, str]:
        """Name now → name before, of the security schemes that only their name tells from one of before."""
        return renamed(self.before, self.after)

    @property
    def pinned_url(self) -> str | None:
        """The endpoint's URL that the lock or its baseline pins, None where neither does."""
        if self.lock.interface.url is not None:
            return self.lock.interface.url
        return self.before.interface.url if self.before and self.before.interface else None

    @property
    def home(self) -> str | None:
        """The URL that the card comes from, None where the lock names its agent otherwise."""
        return self.lock.agent if self.lock.agent.lower().startswith(("https://", "http://")) else None

    @property
    def pinned_tenant(self) -> str | None:
        """The tenant pinned, "" for none, None where neither lock nor baseline says."""
        if self.lock.interface.tenant is not None:
            return self.lock.interface.tenant
        return (self.before.interface.tenant or "") if self.before and self.before.interface else None

    @property
    def pinned_version(self) -> str | None:
        """The agent version pinned, None where neither lock nor baseline says."""
        if self.lock.agent_version is not None:
            return self.lock.agent_version
        return self.baseline.identity.version if self.baseline.identity else None

    @cached_property
    def same_profile(self) -> bool:
        """Whether the profile is the one the lock was pinned with; a lock whose digest says nothing asks its baseline."""
        now = self.observed.profile
        if now is None:
            return False
        if is_checkable(self.lock.profile_digest):
            return profile_digest(now) == self.lock.profile_digest
        return self.before is not None and profile_digest(now) == profile_digest(self.before)

    def knows(self, ground: Ground) -> bool:
        """Whether that much is known of where the lock started."""
        return {
            "profile": self.before is not None,
            "identity": self.baseline.identity is not None,
            "texts": bool(self.baseline.texts_digest),
            "version": self.pinned_version is not None,
            "url": self.pinned_url is not None,
            "tenant": self.pinned_tenant is not None,
            "place": self.pinned_url is not None or self.home is not None,
        }[ground]

    def path(self, member: str) -> str:
        """The JSON path, in the card as served, of a profile member or of its nearest known parent; "" where there is none."""
        provenance = self.observed.profile.provenance if self.observed.profile else {}
        while member and member not in provenance:
            member = member.rpartition(".")[0]
        return provenance.get(member, "")
