"""`cardtrail explain --json`."""

from typing import Literal
from uuid import UUID

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.finding import Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.audit.explain import Reason, Role
from cardtrail.services.audit.stands import Stands
from cardtrail.services.cli.outputs.history import HistoryFact
from cardtrail.services.cli.outputs.turns import Turning


class ExplainedCause(HistoryFact):
    """A fact the decision rests on, and as what; `body`: an answer that brought a card's bytes."""

    role: Role


class Beside(Value):
    """What else stands for the workflow that was asked about: another agent of its locks, and the decision about it."""

    agent: str
    principal: str
    verdict: Verdict
    sequence: int


class ExplainOutput(Value):
    """`cardtrail explain DECISION --json`.

    `agent` is as it is tracked; `causes` are newest first, `missing` are causes that are not on the log; `superseded_by` is the
    sequence of the next decision about the same lock, null while this one stands. `beside` is told where a workflow was named.
    `stands`: since when its verdict and its action stand, which newer decisions (`decision.valid_from`) do not begin anew.
    `turning`: how far it is from the end where it stands because cards take turns.
    """

    format: Literal["cardtrail.explain/1"]
    sequence: int
    id: UUID
    stored_at: str
    agent: str
    decision: ChangeDecided
    superseded_by: int | None
    reasons: tuple[Reason, ...]
    causes: tuple[ExplainedCause, ...]
    missing: tuple[UUID, ...]
    beside: tuple[Beside, ...] = ()
    stands: Stands | None = None
    turning: Turning | None = None


OUTPUTS: tuple[type[Value], ...] = (ExplainOutput,)
