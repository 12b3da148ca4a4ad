"""`cardtrail can-i-delegate --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.status import Lag
from cardtrail.services.planner.permission import Answer, Reason
from cardtrail.services.planner.values import Word

Proof = Literal["claimed", "verified", "contradicted", "inconclusive", "stale"]
"""What is known of the claims that matter here: the worst of them."""


class CandidateAnswer(Value):
    """One agent: whether it may be used, its own id of the skill, why or why not.

    `card` is the version on its card, `evidence_at` the newest attempt behind `evidence`, `seen_at` its last answer;
    `untracked` says that nobody watches it, so that nothing comes of waiting.
    """

    agent: str
    skill: str
    answer: Answer
    verdict: Word
    card: str
    evidence: Proof
    evidence_at: str | None
    seen_at: str | None
    untracked: bool
    reasons: tuple[Reason, ...]


class SkillAnswer(Value):
    """One skill of a workflow: `answer` whether anybody may be used, `first` whether the lock's own agent may.

    `agent` and `agent_skill` say who and under which id, null unless the answer is yes; `person` takes over where nobody may.
    """

    workflow: str
    principal: str
    skill: str
    answer: Answer
    first: bool
    agent: str | None
    agent_skill: str | None
    person: str
    ambiguous: bool
    candidates: tuple[CandidateAnswer, ...]


class CanIDelegateOutput(Value):
    """`cardtrail can-i-delegate --json`; `allowed` is what the exit code says, null where no workflow was asked for."""

    format: Literal["cardtrail.can-i-delegate/1"]
    at: str
    allowed: bool | None
    unknown: int
    answers: tuple[SkillAnswer, ...]
    lag: Lag


OUTPUTS: tuple[type[Value], ...] = (CanIDelegateOutput,)
