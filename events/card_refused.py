"""CardRefused: an attempt that gave no usable card. Every refusal is one."""

from typing import Literal

from cardtrail.events.fact import AgentEvent

Stage = Literal["locate", "resolve", "connect", "fetch", "parse", "validate", "verify", "policy", "authenticate"]


class CardRefused(AgentEvent):
    """Where it ended and why: `reason` is kebab-case; `fault` tells the provider from us; the last good profile stays.

    `status` is the HTTP status, 0 without an answer; `retry_after_s` what the server asked for.
    """

    kind = "card-refused"
    stage: Stage
    reason: str
    detail: str = ""
    target: str = ""
    path: str = ""
    status: int = 0
    address: str = ""
    raw_digest: str = ""
    latency_ms: int = 0
    retry_after_s: int | None = None
    extended: bool = False
    fault: Literal["provider", "network", "ours"] = "provider"
