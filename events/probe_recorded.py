"""ProbeStarted and ProbeRecorded: one claim, one attempt, under one safety contract."""

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.evidence import Claim, Outcome


class ProbeStarted(AgentEvent):
    """Told, and its budget spent, before any request that runs a message leaves."""

    kind = "probe-started"
    probe: str
    claim: Claim
    contract_digest: str = ""
    runs_message: bool = False


class ProbeRecorded(AgentEvent):
    """What came of it: `reason` kebab-case, latencies in milliseconds, `passes` of `trials`; the request only by digest."""

    kind = "probe-recorded"
    probe: str
    claim: Claim
    outcome: Outcome
    reason: str = ""
    detail: str = ""
    profile_digest: str
    contract_digest: str = ""
    request_digest: str = ""
    status: int = 0
    error: str = ""
    trials: int = 1
    passes: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    retry_after_s: int | None = None
