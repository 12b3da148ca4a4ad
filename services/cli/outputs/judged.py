"""What `check` and `diff` both say of one card."""

from cardtrail.events.change_decided import Action
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.error import ErrorBody


class Judged(Value):
    """One card against one lock. `not_judged` lists rules that were silent because the lock does not say where it started.

    `error` says why the card could not be read; the verdict is then `review`, the last good profile stays.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    card: str
    workflow: str
    agent: str
    principal: str
    agent_version: str
    card_digest: str
    profile_digest: str
    action: Action
    degraded: tuple[str, ...]
    not_judged: tuple[str, ...]
    rules_version: str
    compiler_version: str
    error: ErrorBody | None
