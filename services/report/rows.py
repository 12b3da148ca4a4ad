"""Rows of the archive as typed values; instants are aware and in UTC."""

from datetime import date, datetime
from typing import NamedTuple


class Agent(NamedTuple):
    """An agent and who answers for it; seconds between looks."""

    agent: str
    provider: str
    interval_s: int


class Day(NamedTuple):
    """A day of an agent, seconds."""

    agent: str
    day: date
    attempts: int
    observed_s: int
    available_s: int


class Outage(NamedTuple):
    """Attempts in a row that gave no card; `up_at` None: still so."""

    agent: str
    down_from: datetime
    up_at: datetime | None
    down_s: int
    first_reason: str


class Claimed(NamedTuple):
    """On how many claim-days a kind of claim had this outcome."""

    agent: str
    claim: str
    outcome: str
    days: int


class Failing(NamedTuple):
    """Errors of an operation, by calls; `calls` None: none counted."""

    agent: str
    operation: str
    calls: int | None
    contradicting: int
    apart: int
    errors: int


class Changed(NamedTuple):
    """A change of a card: in the window (`after`, `first_seen`]; `after` None: nothing known before."""

    agent: str
    sequence: int
    after: datetime | None
    first_seen: datetime
    version_before: str
    version: str
    moved_profile: bool
    capabilities: list[str]
    verdict: str | None
    key: str
    interfaces_before: int
    interfaces: int


class Broken(NamedTuple):
    """A fact that broke at least one lock; `change_sequence` names the change that it was, where it was one."""

    agent: str
    sequence: int
    broken_at: datetime
    kind: str | None
    workflows: list[str]
    rules: list[str]
    key: str
    change_sequence: int | None


class LockEvent(NamedTuple):
    """A decision about a lock, or that it was pinned (`verdict` lockfile-pinned) or released (lockfile-released).

    With a pin comes the `lock` as JSON, and for a fallback the lock's first agent in `candidate_of`.
    """

    sequence: int
    at: datetime
    agent: str
    workflow: str
    named: str
    verdict: str
    action: str | None
    cause: str
    lock: str | None = None
    candidate_of: str | None = None


class Delegated(NamedTuple):
    """A minute of calls by which a workflow delegated to an agent."""

    agent: str
    workflow: str
    minute: datetime
    calls: int


class Proof(NamedTuple):
    """What was shown of a claim (JSON) at a time: held or contradicted; or a profile (JSON) that was compiled."""

    sequence: int
    at: datetime
    shown_at: datetime
    agent: str
    outcome: str
    claim: str | None
    profile: str | None


class Demand(NamedTuple):
    """From here on policy demands evidence no older than this, seconds; 0: it demands none."""

    sequence: int
    at: datetime
    age_s: int


class Latency(NamedTuple):
    """How long an agent's card takes, milliseconds."""

    agent: str
    answers: int
    p50_ms: int
    p95_ms: int
    p99_ms: int


class Calls(NamedTuple):
    """How long calls of an operation take, milliseconds, by minutes."""

    agent: str
    operation: str
    minutes: int
    calls: int
    p50_ms: float | None
    worst_p95_ms: float | None


class Span(NamedTuple):
    """A value of a capability (JSON text) in its windows."""

    agent: str
    capability: str
    value: str
    opened_from: datetime | None
    first_seen: datetime
    last_confirmed: datetime | None
    ended_by: datetime | None
    ending: str | None


class Signature(NamedTuple):
    """A value of `signature` or `signer`."""

    agent: str
    capability: str
    value: str
    first_seen: datetime
    ended_by: datetime | None


class Standing(NamedTuple):
    """A lock now."""

    workflow: str
    agent: str
    verdict: str
    action: str | None
    since: datetime
    findings: int
    evidence_at: datetime | None
    owner: str
