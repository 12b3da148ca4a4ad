"""BodyRedacted: an operator had a stored body deleted."""

from cardtrail.events.fact import AgentEvent


class BodyRedacted(AgentEvent):
    """The body under `raw_digest` is gone from the bodies stream; facts that name it stay."""

    kind = "body-redacted"
    raw_digest: str
    reason: str
    by: str
