"""`cardtrail agents --json`."""

from typing import Literal

from cardtrail.events.agent_tracked import SourceKind, Target
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.status import Heard


class WatchedAgent(Value):
    """An agent as one principal sees it; `seen` is its last answer, `problem` what is in the way since `problem_since`.

    `usable` null: no profile yet. `locks` are the workflows that depend on it, `stands_in` those in which it is the fallback of
    another agent, without a lock of its own.
    """

    agent: str
    principal: str
    watched: bool
    target: Target
    location: str
    source_kind: SourceKind
    interval_s: int
    provider: str
    version: str
    usable: bool | None
    heard: Heard
    seen: str | None
    problem: str
    problem_since: str | None
    locks: tuple[str, ...]
    stands_in: tuple[str, ...] = ()


class AgentsOutput(Value):
    """`cardtrail agents --json`: who is watched; `total` before any filter."""

    format: Literal["cardtrail.agents/1"]
    at: str
    total: int
    agents: tuple[WatchedAgent, ...]


OUTPUTS: tuple[type[Value], ...] = (AgentsOutput,)
