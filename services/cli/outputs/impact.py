"""`cardtrail impact --json`."""

from typing import Literal

from cardtrail.events.change_decided import Action
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.status import Lag
from cardtrail.services.planner.values import Word


class WithCard(Value):
    """How the lock on the agent would be judged under the card that was given."""

    verdict: Verdict
    action: Action
    findings: tuple[Finding, ...]


class Dependant(Value):
    """One skill of a workflow that names the agent, as its lock's own (`first`) or as a fallback.

    `used` says that new delegations go to it now; `instead` who takes them over without it, null where nobody does;
    `stops` that they would then stop, or go to `person`. A lock that nobody has judged yet is `pending`, and not used.
    `with_card` is null where no card was given, or where the agent only stands in: its lock then takes endpoint and version
    from itself.
    """

    workflow: str
    principal: str
    skill: str
    owner: str
    channel: str
    named: str
    role: Literal["first", "fallback"]
    verdict: Word
    used: bool
    instead: str | None
    person: str
    stops: bool
    with_card: WithCard | None


class ImpactOutput(Value):
    """`cardtrail impact --json`: those that would stop first; `lag` is how far what is said of NOW is behind the log."""

    format: Literal["cardtrail.impact/1"]
    at: str
    agent: str
    card: str | None
    dependants: tuple[Dependant, ...]
    workflows: int
    stopping: int
    lag: Lag


OUTPUTS: tuple[type[Value], ...] = (ImpactOutput,)
