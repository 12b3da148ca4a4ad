"""PolicyDeclared: the operator's settings as a fact, at start and on change."""

from cardtrail.events.fact import Event
from cardtrail.events.model.policy import Policy


class PolicyDeclared(Event):
    """`digest` is sha256 over the canonical policy; decisions name it."""

    kind = "policy-declared"
    policy: Policy
    digest: str
    by: str = ""
