"""RuntimeErrorObserved and CallsCounted: what real calls showed, told by the observer from planners' reports."""

from typing import Literal

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.evidence import Claim


class RuntimeErrorObserved(AgentEvent):
    """A call that the profile allowed failed; `contradicts` is the claim it speaks against, None where it says nothing."""

    kind = "runtime-error-observed"
    workflow: str
    operation: str
    skill: str | None = None
    error: str
    code: int | None = None
    detail: str = ""
    profile_digest: str
    contradicts: Claim | None = None
    attribution: Literal["provider", "network", "throttle", "ours", "unknown"] = "unknown"
    report: str = ""


class CallsCounted(AgentEvent):
    """Outcomes of calls in one minute (`minute`, RFC 3339): the denominator of reliability; latencies in milliseconds."""

    kind = "calls-counted"
    workflow: str
    operation: str
    skill: str | None = None
    minute: str
    calls: int
    errors: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
