"""The report as one value: what HTML, Markdown and JSON are three spellings of."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.report.model import (
    AvailabilityLine,
    ChangeLine,
    ClaimLine,
    CostLine,
    CurvePoint,
    DayPoint,
    DetectionLine,
    ErrorLine,
    EvidenceLine,
    LatencyLine,
    LockLine,
    NoticeLine,
    NoticeShare,
    ProviderLine,
    RecoveryLine,
    Trail,
    TrustLine,
    WeekPoint,
)


class Checkpoint(Value):
    """The newest signed head of the log: root (hex) over `size` facts up to `through`."""

    root: str
    size: int
    through: int


class Report(Value):
    """All of it. `provider` "" = everybody; `command` gives the same bytes again."""

    format: Literal["cardtrail.report/1"]
    release: str
    provider: str
    principal: str
    since: str
    until: str
    first: int
    through: int
    facts: int
    log_digest: str
    checkpoint: Checkpoint | None
    rules_versions: tuple[str, ...]
    command: str
    sentences: tuple[str, ...]
    providers: tuple[ProviderLine, ...]
    availability: tuple[AvailabilityLine, ...]
    days: tuple[DayPoint, ...]
    claims: tuple[ClaimLine, ...]
    evidence: tuple[EvidenceLine, ...]
    errors: tuple[ErrorLine, ...]
    changes: tuple[ChangeLine, ...]
    weeks: tuple[WeekPoint, ...]
    notices: tuple[NoticeLine, ...]
    notice_shares: tuple[NoticeShare, ...]
    detection: tuple[DetectionLine, ...]
    recovery: tuple[RecoveryLine, ...]
    curve: tuple[CurvePoint, ...]
    latency: tuple[LatencyLine, ...]
    trust: tuple[TrustLine, ...]
    cost: tuple[CostLine, ...]
    locks: tuple[LockLine, ...]
    trails: tuple[Trail, ...]
    questions: dict[str, str]
