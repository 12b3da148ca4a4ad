"""May this step be delegated now, and to whom? The decision of a planner from what it knows and its clock. Pure.

A permission speaks of a new delegation alone: a task that runs goes on, whatever is decided meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime

from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.services.planner.values import Route, RouteCandidate, Word

Code = Literal[
    "not-caught-up", "not-locked", "blind", "stopped", "pending", "unjudged", "stale", "review", "degraded", "ambiguous"
]
Answer = Literal["yes", "no", "unknown"]
Source = Literal["live", "snapshot"]


class Reason(Value):
    """One reason, about one agent or ("") about the route as a whole; `detail` is for a person, and untrusted text."""

    code: Code
    detail: str
    agent: str = ""


class Blindness(Value):
    """Since when changes may have been missed, and why: no connection, a snapshot file instead of one, a silent tracker."""

    since: AwareDatetime
    why: Literal["no-connection", "snapshot", "tracker-silent"]
    detail: str = ""


class Permission(Value):
    """The answer. `agent` and `agent_skill` are whom to use and its own id of the skill, None unless the answer is yes.

    Verdict, `degraded` (operations to avoid), `valid_from`, `decision`, `judged_through` and `stale_after` are those of
    `agent`, else of the first candidate; `watched` is the agent's name among profiles and in reports, where the lock calls it
    otherwise. `fresh` says that nothing was missed and the agent was heard in time; `as_of` is the
    clock of this answer, or, where `source` is a snapshot, when that was last known to be true.
    """

    answer: Answer
    workflow: str
    skill: str
    agent: str | None = None
    agent_skill: str | None = None
    reasons: tuple[Reason, ...] = ()
    verdict: Word = "unknown"
    action: str | None = None
    degraded: tuple[str, ...] = ()
    valid_from: AwareDatetime | None = None
    decision: str | None = None
    profile_digest: str = ""
    watched: str = ""
    judged_through: int = 0
    stale_after: AwareDatetime | None = None
    fresh: bool = False
    blind: Blindness | None = None
    person: str = ""
    source: Source = "live"
    as_of: AwareDatetime

    @property
    def allowed(self) -> bool:
        """Whether a new delegation may be made."""
        return self.answer == "yes"

    def __bool__(self) -> bool:
        """`if planner.may_delegate(skill):` means what it says."""
        return self.allowed


@dataclass(frozen=True, slots=True)
class Known:
    """What a planner knows when it is asked: the route, and whether anything was missed; `skills`: those of the locks."""

    workflow: str
    route: Route | None = None
    skills: tuple[str, ...] = ()
    caught_up: bool = True
    blind: Blindness | None = None
    source: Source = "live"


def decide(known: Known, skill: str, now: datetime) -> Permission:
    """The first candidate that no decision stops, that was heard in time, and that the locks allow when we are blind."""
    blind = known.blind
    as_of = blind.since if blind is not None and known.source == "snapshot" else now
    asked: dict[str, Any] = {
        "workflow": known.workflow,
        "skill": skill,
        "blind": blind,
        "source": known.source,
        "as_of": as_of,
    }
    if known.route is None:
        return Permission(answer="unknown", reasons=(_absent(known, skill),), **asked)
    route = known.route
    barred = {one.agent: _bar(one, route, known, now) for one in route.candidates}
    chosen = next((one for one in route.candidates if barred[one.agent] is None), None)
    if chosen is None and any(reason is not None and reason.code != "stopped" for reason in barred.values()):
        answer: Answer = "unknown"
    else:
        answer = "no" if chosen is None else "yes"
    asked |= {"reasons": _reasons(known, route, barred, chosen, now), "person": route.person}
    return _answered(answer, chosen, route, asked, fresh=blind is None and _heard(chosen, now))


def _answered(
    answer: Answer, chosen: RouteCandidate | None, route: Route, asked: dict[str, Any], *, fresh: bool
) -> Permission:
    subject = chosen or next(iter(route.candidates), None)
    told = {name: getattr(subject, name) for name in _OF_THE_CANDIDATE} if subject else {}
    whom = {"agent": chosen.agent, "agent_skill": chosen.skill} if chosen else {}
    return Permission.model_validate({"answer": answer, "fresh": fresh, **told, **whom, **asked})


_OF_THE_CANDIDATE = (
    "verdict", "action", "degraded", "valid_from", "decision", "profile_digest", "watched", "judged_through", "stale_after",
)  # fmt: skip


def _absent(known: Known, skill: str) -> Reason:
    if not known.caught_up:
        return Reason(code="not-caught-up", detail="the routes of this workflow have not all arrived")
    if not known.skills:
        return Reason(code="not-locked", detail=f"no lock of {known.workflow} is in force")
    return Reason(code="not-locked", detail=f'no lock names "{skill}"; they name: {", ".join(known.skills[:20])}')


def _bar(one: RouteCandidate, route: Route, known: Known, now: datetime) -> Reason | None:
    """Why this agent may not be used, None where it may."""
    if one.action == "stop":
        return Reason(code="stopped", agent=one.agent, detail=", ".join(one.rules) or one.verdict)
    if not one.usable:
        code: Code = "pending" if one.verdict == "pending" else "unjudged"
        detail = "awaits its first decision" if code == "pending" else "no lock of this workflow has it judged"
        return Reason(code=code, agent=one.agent, detail=detail)
    if route.when_blind == "allow":
        return None
    if known.blind is not None:
        return Reason(code="blind", agent=one.agent, detail=_blind(known.blind))
    return None if _heard(one, now) else _stale(one)


def _reasons(
    known: Known, route: Route, barred: Mapping[str, Reason | None], chosen: RouteCandidate | None, now: datetime
) -> tuple[Reason, ...]:
    """Why those before the chosen one are not used, then what to mind about it."""
    found: list[Reason] = []
    for one in route.candidates:
        if one is chosen:
            break
        found += [reason for reason in (barred[one.agent],) if reason is not None]
    if chosen is not None:
        if known.blind is not None:
            found.append(Reason(code="blind", detail=f"{_blind(known.blind)}; the locks allow it"))
        elif not _heard(chosen, now):
            found.append(_stale(chosen))
        if chosen.verdict == "review":
            detail = ", ".join(chosen.rules) or "under review"
            found.append(Reason(code="review", agent=chosen.agent, detail=detail))
        if chosen.degraded:
            found.append(Reason(code="degraded", agent=chosen.agent, detail=f"without {', '.join(chosen.degraded)}"))
    if route.ambiguous:
        found.append(Reason(code="ambiguous", detail="several locks name this skill: the order is that of their pins"))
    return tuple(found)


def _heard(one: RouteCandidate | None, now: datetime) -> bool:
    return one is not None and one.stale_after is not None and now <= one.stale_after


def _stale(one: RouteCandidate) -> Reason:
    when = "never" if one.stale_after is None else f"not in time: {instant(one.stale_after)} has passed"
    return Reason(code="stale", agent=one.agent, detail=f"heard {when}")


def _blind(blind: Blindness) -> str:
    return f"{blind.why} since {instant(blind.since)}{f': {blind.detail}' if blind.detail else ''}"
