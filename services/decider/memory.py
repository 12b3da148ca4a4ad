"""What the decider remembers, one frozen value per row; nothing here decides anything."""

from functools import lru_cache
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime

from cardtrail.events.canonical import digest
from cardtrail.events.change_decided import Action
from cardtrail.events.model.evidence import Claim, Evidence
from cardtrail.events.model.finding import Acknowledgement, Verdict
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import EndpointPolicy, Policy
from cardtrail.events.model.profile import Identity, Profile
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.kept import load, save
from cardtrail.services.verdict.view import Baseline, Trouble

Cause = Literal["agent", "tool", "policy", "time", "pin", "acknowledgement"]
Blame = Literal["agent", "tool", "policy", "time"]
_ONLY: Key = ("-",)


class PolicyInForce(Value):
    """The operator's last word and its digest; `order` is the millisecond in which it was given."""

    policy: Policy = Policy()
    digest: str = ""
    order: int = 0


class Watch(Value):
    """One agent as one principal sees it; `now` is the broker's latest time among its facts.

    `recent` are the last distinct states (digest over profile and identity), newest last; `returns` says of each change whether
    it went back to one of them; `equal` counts observations since the last change; `refused` is the last refusal's sequence.
    """

    now: AwareDatetime
    answered: AwareDatetime | None = None
    refused: int = 0
    refusal: UUID | None = None
    trouble: Trouble | None = None
    recent: tuple[str, ...] = ()
    returns: tuple[bool, ...] = ()
    equal: int = 0
    flapping: bool = False
    compiled: UUID | None = None
    card: UUID | None = None
    card_sequence: int = 0
    endpoints: EndpointPolicy | None = None


class State(Value):
    """What the agent offered in one of its recent states."""

    profile: Profile
    identity: Identity
    profile_digest: str
    texts_digest: str = ""


class Pin(Value):
    """A lock in force and where it started; `adopts`: a candidate's lock, completed when the candidate is first judged."""

    lock: Lockfile
    lock_digest: str
    baseline: Baseline = Baseline()
    fact: UUID
    sequence: int
    adopts: bool = False


class Standing(Value):
    """What was last told of a pair: `open` are the fingerprints of its findings, notes left out; `blame` their causes."""

    verdict: Verdict
    action: Action
    degraded: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    acknowledged: tuple[str, ...] = ()
    blame: dict[str, Blame] = {}
    policy_digest: str = ""
    rules_version: str = ""
    pinned: UUID


class Acknowledged(Value):
    """What people accepted for one pair."""

    entries: tuple[Acknowledgement, ...] = ()


class Proof(Value):
    """The latest conclusive probe of each claim."""

    entries: tuple[Evidence, ...] = ()


class Tally(Value):
    """Recent calls that concern one claim, oldest first: `x` contradicted it, `.` went well."""

    claim: Claim
    operation: str
    skill: str | None = None
    calls: str = ""


class Tallies(Value):
    """All tallies of one pair."""

    entries: tuple[Tally, ...] = ()


class Pairs(Value):
    """Who depends on what is found under one name or location: (workflow, agent as the lock names it)."""

    entries: tuple[tuple[str, str], ...] = ()


def policy_in_force(rows: Rows) -> PolicyInForce:
    """What the operator declared last, else the defaults under their own digest."""
    return load(rows, PolicyInForce, _ONLY) or _default_policy()


def declare(rows: Rows, given: PolicyInForce) -> None:
    """A new policy is in force, unless a later one is already."""
    if given.order >= policy_in_force(rows).order:
        save(rows, _ONLY, given)


@lru_cache(maxsize=1)
def _default_policy() -> PolicyInForce:
    return PolicyInForce(policy=Policy(), digest=digest(Policy().model_dump(mode="json")))
