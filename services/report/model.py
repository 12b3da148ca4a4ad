"""The lines of a report as values. Instants RFC 3339 UTC, lengths of time in seconds.

Every line is about one agent, or with `agent` "" about a provider's agents together. `low` and `high` are the ends of a 95 %
interval; `few` says that there are too few cases for the number to mean much. None is "not known", never zero.
"""

from typing import Literal

from cardtrail.events.model.value import Value

Notice = Literal["before", "same card", "after", "never"]


class Share(Value):
    """`held` of `tried`; of a provider, the mean over its agents, worth `worth` trials."""

    held: int
    tried: int
    worth: float
    share: float | None
    low: float | None
    high: float | None
    few: bool


class Rate(Value):
    """`count` in `days`, as a number per 30 days; null where it was watched for less than a day."""

    count: int
    days: float
    per_30_days: float | None
    low: float | None
    high: float | None


class Line(Value):
    """Whom a line is about."""

    provider: str
    agent: str


class AvailabilityLine(Line):
    """Share of observed time in which the latest attempt gave a usable card; `down`: it is out now."""

    observed_s: int
    available_s: int
    share: float | None
    low: float | None
    high: float | None
    days: int
    few: bool
    outages: int
    longest_s: int
    down: bool


class DayPoint(Value):
    """A provider's day."""

    provider: str
    day: str
    observed_s: int
    available_s: int


class ClaimLine(Line):
    """A kind of claim ("" = all of them) on its claim-days."""

    claim: str
    kept: Share
    inconclusive: int


class ErrorLine(Line):
    """An operation: errors that contradict a claim, of calls; `apart` are not the provider's. `rate` None: no calls counted."""

    operation: str
    rate: Share | None
    contradicting: int
    apart: int
    errors: int


class ChangeLine(Line):
    """Distinct changes, those that put a lock on review, and distinct breaks; each per 30 days watched."""

    changes: Rate
    reviews: Rate
    breaks: Rate


class WeekPoint(Value):
    """Changes of a week (its Monday), by what they meant: breaking, review, compatible, or `unjudged` where no lock looked."""

    week: str
    verdict: str
    changes: int


class NoticeLine(Line):
    """A break by a change, and the first sign of it: which, and between how many seconds before (negative: after)."""

    broke_at: str
    workflows: tuple[str, ...]
    rules: tuple[str, ...]
    notice: Notice
    sign: str
    low_s: int | None
    high_s: int | None


class NoticeShare(Value):
    """How often notice was given so."""

    notice: Notice
    share: Share


class DetectionLine(Line):
    """Between the last sight of the old and the first of the new: the longest that detection can have taken."""

    changes: int
    median_s: int | None
    p95_s: int | None
    few: bool


class RecoveryLine(Line):
    """From breaking to satisfied again; `standing` have not ended or were ended by ourselves. Median by Kaplan–Meier."""

    breaks: int
    standing: int
    median_s: float | None
    low_s: float | None
    high_s: float | None
    few: bool


class CurvePoint(Value):
    """From `at_s` on this share of the breaks still stands."""

    at_s: float
    share: float
    low: float
    high: float


class LatencyLine(Line):
    """Milliseconds; of an operation by minutes of calls, of the card ("" as operation) by answers, exact to 1 ms."""

    operation: str
    cases: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    few: bool


class TrustLine(Line):
    """Days with a verified signature of those observed with a profile, and how often the signer was another."""

    seen_s: int
    signed_s: int
    key_changes: int


class CostLine(Line):
    """Where new delegations were stopped: workflows, stops and seconds of all its locks together.

    In `at_hand_s` of these seconds another agent of the lock stood ready. So many `delegations` would have gone to it
    meanwhile, at the rate of the 30 days before, between `low` and `high`; None: nobody reports these workflows' calls.
    """

    workflows: int
    stops: int
    stopped_s: int
    at_hand_s: int
    delegations: float | None
    low: float | None
    high: float | None


class EvidenceLine(Line):
    """The claims that locks need and want shown: how much of the time each was verified not longer ago than demanded.

    `claims` are needed at the end of the log, `verified` of them in time; `undemanded` are needed and nobody wants them shown.
    """

    demanded_s: int
    verified_s: int
    share: float | None
    claims: int
    verified: int
    undemanded: int


class LockLine(Line):
    """A lock as it stands at the end of the log; `evidence_s` is the age of the newest evidence."""

    workflow: str
    verdict: str
    action: str | None
    standing_s: int
    findings: int
    evidence_s: int | None
    owner: str


class ProviderLine(Value):
    """A provider at a glance; `rank` goes by the lower end of `kept`, equal ends share a rank, too few have none."""

    rank: int | None
    provider: str
    agents: int
    availability: AvailabilityLine
    kept: Share
    changes: Rate
    breaks: Rate
    stopped_s: int


class Bar(Value):
    """A value of a capability: where it is drawn, 0 to 1 of the period, and what it was."""

    kind: Literal["held", "unsure", "unknown"]
    start: float
    end: float
    tint: int
    title: str


class Lane(Value):
    """A capability over the period."""

    capability: str
    bars: tuple[Bar, ...]
    summary: str


class Trail(Line):
    """The capabilities of an agent that changed, most changed first."""

    changes: int
    lanes: tuple[Lane, ...]
    more: int
