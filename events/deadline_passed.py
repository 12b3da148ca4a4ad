"""DeadlinePassed: time passes only as a fact."""

from typing import Literal

from cardtrail.events.fact import AgentEvent

Deadline = Literal["grace", "staleness", "evidence", "acknowledgement", "refresh", "probe"]


class DeadlinePassed(AgentEvent):
    """An instant (`due`, RFC 3339) that a fold waits for has come; `workflow` where it concerns one."""

    kind = "deadline-passed"
    what: Deadline
    due: str
    workflow: str = ""
    fingerprint: str = ""
