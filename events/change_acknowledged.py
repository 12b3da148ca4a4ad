"""ChangeAcknowledged: a person accepted a finding."""

from cardtrail.events.fact import AgentEvent


class ChangeAcknowledged(AgentEvent):
    """Silences the finding with this fingerprint while the same change stands, at most until `until` (RFC 3339)."""

    kind = "change-acknowledged"
    workflow: str
    fingerprint: str
    reason: str
    until: str | None = None
    by: str
