"""`cardtrail probe --json`."""

from typing import Literal

from cardtrail.events.model.evidence import Claim, Outcome
from cardtrail.events.model.value import Value


class ProbeTest(Value):
    """One claim that was tested: the outcome with its reason, `passes` of `trials`, milliseconds; the fact that records it."""

    probe: str
    claim: Claim
    outcome: Outcome
    reason: str
    detail: str
    trials: int
    passes: int
    p50_ms: float | None
    p95_ms: float | None
    sequence: int


class ProbeOutput(Value):
    """`cardtrail probe AGENT --json`: what was tested now, and what came of it."""

    format: Literal["cardtrail.probe/1"]
    agent: str
    principal: str
    tests: tuple[ProbeTest, ...]


OUTPUTS: tuple[type[Value], ...] = (ProbeOutput,)
