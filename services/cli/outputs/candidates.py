"""`cardtrail candidates --json`."""

from typing import Literal

from cardtrail.events.model.profile import Interface
from cardtrail.events.model.value import Value
from cardtrail.services.planner.filters import Rejection, Wanted


class Survivor(Value):
    """An agent that may be chosen, in its place from 1; `because` says what put it there. `cost` in the operator's own unit."""

    place: int
    agent: str
    skill: str
    skills: tuple[str, ...]
    interface: Interface
    because: str
    calls: int
    errors: int
    held: int
    tried_at: str | None
    latency_ms: float | None
    cost: float | None


class Rejected(Value):
    """An agent that may not, with every filter that it did not pass."""

    agent: str
    rejections: tuple[Rejection, ...]


class CandidatesOutput(Value):
    """`cardtrail candidates --json`: both phases; `texts` is the block for a ranking model, "" unless it was asked for."""

    format: Literal["cardtrail.candidates/1"]
    at: str
    principal: str
    wanted: Wanted
    passed: tuple[Survivor, ...]
    rejected: tuple[Rejected, ...]
    texts: str


OUTPUTS: tuple[type[Value], ...] = (CandidatesOutput,)
