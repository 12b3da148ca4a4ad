"""What a planner reports of its calls: the payload on `cardtrail.reports.<principal>.<workflow>`, in any language.

A report is a statement of a client, never a fact: only the observer tells facts.
"""

from typing import Literal

from pydantic import Field

from cardtrail.events.model.value import Value


class ReportedError(Value):
    """The failure as the client met it: A2A name or JSON-RPC code where the agent gave one, else what went wrong locally.

    `local`: `timeout`, `connect`, `tls`, `empty-stream`, `not-a-stream`, `not-a2a`, `too-large` or `other`.
    """

    name: str = Field(default="", max_length=100)
    code: int | None = None
    reason: str = Field(default="", max_length=100)
    status: int = 0
    local: str = Field(default="", max_length=40)
    message: str = Field(default="", max_length=300)


class Call(Value):
    """One call: what was asked and sent, how long it took (milliseconds), the error if it failed.

    `task` says that the call was about an existing task; `sent_modes` are the media types of the parts sent;
    `accepted_modes` those asked back; `version` the A2A-Version header as sent.
    """

    at: str
    operation: str = Field(max_length=60)
    skill: str | None = Field(default=None, max_length=200)
    binding: str = Field(default="", max_length=200)
    version: str = Field(default="", max_length=20)
    extensions: tuple[str, ...] = ()
    sent_modes: tuple[str, ...] = ()
    accepted_modes: tuple[str, ...] = ()
    task: bool = False
    authenticated: bool = False
    latency_ms: float = Field(default=0, ge=0)
    error: ReportedError | None = None


class Report(Value):
    """Calls of one workflow to one agent under one profile; at most 500 a report, `id` unique to the report."""

    format: Literal["cardtrail.calls/1"] = "cardtrail.calls/1"
    id: str = Field(min_length=1, max_length=100)
    agent: str = Field(min_length=1)
    workflow: str = Field(min_length=1)
    principal: str = "public"
    profile_digest: str = ""
    calls: tuple[Call, ...] = Field(max_length=500)
