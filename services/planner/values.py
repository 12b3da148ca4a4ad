"""What the tracker keeps in its buckets for planners: the published shapes of routes, profiles and locks, read with tolerance.

A value in a bucket is `{"table", "key", "row", "through"}`; `row` is null where the key was deleted. A newer tracker may add
members: they are left out when read here.
"""

from typing import Any, Literal, TypeVar

from pydantic import AwareDatetime, ValidationError

from cardtrail.events.model.finding import Finding
from cardtrail.events.model.profile import Profile
from cardtrail.events.model.value import Value

Told = TypeVar("Told", bound=Value)
Word = Literal["compatible", "review", "breaking", "pending", "unknown"]
"""A verdict, or why there is none: `pending` before the first decision, `unknown` where nobody judges."""


class RouteCandidate(Value):
    """One agent of a route, as judged: `skill` is its own id for what is wanted, `usable` says that no decision stops it.

    `stale_after` is the instant after which silence makes the judgement doubtful (null = never heard); `judged_through` the
    stream sequence up to which the log was weighed; `valid_from` and `decision` name the decision in force; `watched` is
    the agent's name among the profiles, where a lock calls it otherwise; `lock_digest` is the lock it is judged by;
    `rules` are those that give the verdict.
    """

    agent: str
    skill: str
    usable: bool
    verdict: Word
    action: str | None = None
    degraded: tuple[str, ...] = ()
    valid_from: AwareDatetime | None = None
    decision: str | None = None
    judged_through: int = 0
    stale_after: AwareDatetime | None = None
    profile_digest: str = ""
    watched: str = ""
    lock_digest: str = ""
    rules: tuple[str, ...] = ()

    @property
    def profile_of(self) -> str:
        """The name under which its profile is kept: a lock may call it by a location."""
        return self.watched or self.agent


class Route(Value):
    """Who may be used for one skill of a workflow, in the order of its locks; `skill` is "" where a lock names none.

    `use` is the first usable agent; `ambiguous` says that several locks name the skill, so that their order is by time of
    pinning alone; `when_blind` is what the locks want where the tracker cannot be heard.
    """

    principal: str
    workflow: str
    skill: str
    candidates: tuple[RouteCandidate, ...]
    use: str | None = None
    use_skill: str | None = None
    answer: Literal["agent", "person", "nobody"] = "nobody"
    person: str = ""
    owner: str = ""
    channel: str = ""
    when_blind: Literal["allow", "stop"] = "stop"
    ambiguous: bool = False


class CurrentProfile(Value):
    """The profile of one agent as one principal sees it; `card_digest` names the card it was compiled from."""

    principal: str
    agent: str
    usable: bool
    profile: Profile
    profile_digest: str
    card_digest: str = ""
    compiled_at: AwareDatetime | None = None
    through: int = 0


class LockStatus(Value):
    """Where one lock stands, as far as a planner asks: the verdict and the findings behind it."""

    principal: str
    workflow: str
    agent: str
    verdict: Word
    findings: tuple[Finding, ...] = ()


class RouteValue(Value):
    """The value of a key in `routes_<principal>`: key = principal, workflow, skill."""

    table: Literal["routes"]
    key: tuple[str, str, str]
    row: Route | None
    through: int


class ProfileValue(Value):
    """The value of a key of the table `current_profile` in `current_profile_<principal>`: key = principal, agent."""

    table: Literal["current_profile"]
    key: tuple[str, str]
    row: CurrentProfile | None
    through: int


class StatusValue(Value):
    """The value of a key in `lockfile_status_<principal>`: key = principal, workflow, agent; it explains a stop or a review."""

    table: Literal["lockfile_status"]
    key: tuple[str, str, str]
    row: LockStatus | None
    through: int


def read(kind: type[Told], row: dict[str, Any]) -> Told | None:
    """A row as this release understands it; None where it does not."""
    try:
        return kind.model_validate(row, extra="ignore")
    except ValidationError:
        return None
