"""What was tried: claims, outcomes and the age of what we know."""

from typing import Literal

from cardtrail.events.model.value import Value

Outcome = Literal["held", "contradicted", "inconclusive"]
Standing = Literal["claimed", "verified", "contradicted", "stale"]


class Claim(Value):
    """One checkable statement of a card: kind (`streaming`, `input-mode`, …), skill id and value where it has them."""

    kind: str
    skill: str | None = None
    value: str | None = None


class Evidence(Value):
    """The latest thing known about a claim; it counts while the profile that it tested makes the same claim.

    `at` is RFC 3339 UTC; `passes` of `trials` held; latencies in milliseconds.
    """

    claim: Claim
    outcome: Outcome
    reason: str = ""
    at: str
    profile_digest: str
    source: Literal["probe", "call"] = "probe"
    fact: str = ""
    trials: int = 1
    passes: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
