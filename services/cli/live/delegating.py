"""May a workflow delegate now? The planner's own decision over the buckets as they are, and what a person wants beside it."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Row
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.watch import Watch
from cardtrail.services.cli.live.directory import Directory, Table, directory
from cardtrail.services.cli.live.reasons import detailed
from cardtrail.services.cli.live.standing import lag, on_the_way
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.turns import turning, why
from cardtrail.services.cli.live.words import tracking
from cardtrail.services.cli.outputs.can_i_delegate import CandidateAnswer, CanIDelegateOutput, Proof, SkillAnswer
from cardtrail.services.cli.shell.near import near
from cardtrail.services.planner.permission import Blindness, Known, Reason, decide
from cardtrail.services.planner.values import Route, RouteCandidate, read

_TABLES = {
    "routes": "routes",
    "lockfile_status": "lockfile_status",
    "evidence": "current_profile",
    "current_profile": "current_profile",
}
_AGAIN_S, _LOOK_S = 0.5, 2.0
_WORST: tuple[Proof, ...] = ("contradicted", "stale", "inconclusive", "verified", "claimed")


async def can_i_delegate(
    tracker: Tracker, workflow: str | None, skill: str | None, *, wait_s: float, anybody: bool
) -> CanIDelegateOutput:
    """The answers for one skill, all skills of a workflow, or everything; waits while the one that counts is unknown.

    Raises:
        UsageError: `workflow-unknown`, `skill-not-locked`.
    """
    found = await _answers(tracker, workflow, skill)
    if wait_s and _open(found, anybody=anybody):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                found = await _known(tracker, workflow, skill, anybody=anybody)
    if workflow is None:
        return found
    allowed = all(one.answer == "yes" and (one.first or anybody) for one in found.answers)
    return found.model_copy(update={"allowed": allowed and bool(found.answers)})


def _open(found: CanIDelegateOutput, *, anybody: bool) -> bool:
    """Whether an answer that counts may come yet: of the lock's own agent, or with `anybody` of any candidate."""
    if not found.answers:
        return found.unknown > 0
    return any(_comes(one, anybody=anybody) for one in found.answers)


def _comes(one: SkillAnswer, *, anybody: bool) -> bool:
    """Nothing comes of an agent that nobody watches."""
    counting = one.candidates if anybody else one.candidates[:1]
    unknown = one.answer == "unknown" if anybody or not counting else counting[0].answer == "unknown"
    return unknown and (not counting or any(each.answer == "unknown" and not each.untracked for each in counting))


async def _known(tracker: Tracker, workflow: str | None, skill: str | None, *, anybody: bool) -> CanIDelegateOutput:
    """The answers once they are known, looked for again after every change of a route, and when a service may be back."""
    changed = asyncio.Event()
    principals = (await directory(tracker.bus)).principals()
    watching = [asyncio.create_task(_watch(tracker, principal, changed)) for principal in principals]
    try:
        while True:
            found = await _answers(tracker, workflow, skill)
            if not _open(found, anybody=anybody):
                return found
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await changed.wait()
            changed.clear()
    finally:
        await ended(*watching)


async def _watch(tracker: Tracker, principal: str, changed: asyncio.Event) -> None:
    while True:
        try:
            async for _ in Watch(tracker.bus.connection, "routes", principal, "routes.>").changes():
                changed.set()
        except BrokerRefused:  # the bucket is not there yet
            await asyncio.sleep(_AGAIN_S)
            changed.set()


async def _answers(tracker: Tracker, workflow: str | None, skill: str | None) -> CanIDelegateOutput:
    known = await directory(tracker.bus)
    if workflow is not None:
        _named(known, known.workflow(workflow), skill)
    answers: list[SkillAnswer] = []
    positions, heard = [], await on_the_way(tracker)
    for principal in known.principals():
        rows: dict[str, Table] = {}
        for table, bucket in _TABLES.items():
            rows[table], position = await read_table(tracker.bus, bucket, principal, table)
            positions.append(position)
        held = {key: row for key, row in rows["lockfile_status"].items() if workflow in {None, key[1]}}
        turns = {(one.workflow, one.agent): why(one) for one in await turning(tracker, known, held)}
        book = _Book(known, rows, tracker.now(), _blind(heard, principal, tracker.now()), turns)
        answers += [
            book.answer(route)
            for key, row in sorted(rows["routes"].items())
            if workflow in {None, key[1]} and skill in {None, key[2]} and (route := read(Route, row)) is not None
        ]
    unknown = sum(candidate.answer == "unknown" for one in answers for candidate in one.candidates)
    return CanIDelegateOutput(
        format="cardtrail.can-i-delegate/1",
        at=instant(tracker.now()),
        allowed=None,
        unknown=unknown if answers or workflow is None else 1,
        answers=tuple(answers),
        lag=await lag(tracker, min(positions)),
    )


def _blind(heard: Mapping[str, Mapping[str, Any] | None], principal: str, now: datetime) -> Blindness | None:
    """What this principal's buckets hide: a service that does not answer, or cannot keep one of them."""
    silent = [
        service
        for service, told in heard.items()
        if told is None or any(fold.get("failing") for name, fold in told["folds"].items() if _of(name, principal))
    ]
    return Blindness(since=now, why="tracker-silent", detail=", ".join(silent)) if silent else None


def _of(fold: str, principal: str) -> bool:
    """Whether a fold keeps the rows of this principal alone, as `routes/public` does."""
    return fold.partition("/")[2] == principal


def _named(known: Directory, workflow: str, skill: str | None) -> None:
    """Refuse a skill that no lock names; one that is named and has no route yet is merely unknown."""
    names = {
        name
        for key, pin in known.told.locks.items()
        if key[0] == workflow
        for name in pin.lockfile.requires.skills or ("",)
    }
    if skill is not None and skill not in names:
        raise UsageError("skill-not-locked", f'no lock of {workflow} names "{skill}"', hint=near(skill, names))


@dataclass(frozen=True)
class _Book:
    """What the buckets of one principal say, and the clock."""

    known: Directory
    rows: Mapping[str, Table]
    now: datetime
    blind: Blindness | None
    turns: Mapping[tuple[str, str], str]

    def answer(self, route: Route) -> SkillAnswer:
        """One route."""
        said = decide(Known(workflow=route.workflow, route=route, blind=self.blind), route.skill, self.now)
        candidates = tuple(self._candidate(one, route) for one in route.candidates)
        return SkillAnswer(
            workflow=route.workflow,
            principal=route.principal,
            skill=route.skill,
            answer=said.answer,
            first=bool(candidates) and candidates[0].answer == "yes",
            agent=said.agent,
            agent_skill=said.agent_skill,
            person=route.person,
            ambiguous=route.ambiguous,
            candidates=candidates,
        )

    def _candidate(self, one: RouteCandidate, route: Route) -> CandidateAnswer:
        """One agent, asked about as if it were alone."""
        alone = route.model_copy(update={"candidates": (one,), "ambiguous": False})
        said = decide(Known(workflow=route.workflow, route=alone, blind=self.blind), route.skill, self.now)
        name = one.watched or self.known.called(one.agent, route.principal)
        proof, at = self._evidence(self.rows["evidence"].get((route.principal, name)), one.skill)
        return CandidateAnswer(
            agent=one.agent,
            skill=one.skill,
            answer=said.answer,
            verdict=one.verdict,
            card=self._version(one.agent, name, route),
            evidence=proof,
            evidence_at=at,
            seen_at=(self.known.freshness.get((route.principal, name)) or {}).get("last_success"),
            untracked=self.known.watched((name, route.principal)) is None,
            reasons=tuple(self._why(reason, name, route, one.skill) for reason in said.reasons),
        )

    def _why(self, reason: Reason, name: str, route: Route, skill: str) -> Reason:
        """A decision is awaited only where somebody watches the agent; one that stands says about what."""
        key = (name, route.principal)
        if reason.code != "pending" or self.known.watched(key) is not None:
            held = self.turns.get((route.workflow, reason.agent), "")
            return detailed(reason, self._statuses(route).get(reason.agent), skill, held)
        ended = self.known.told.gone.get(key, False)
        how = f"nobody watches it{' any more' if ended else ''}: {tracking(name)}"
        return reason.model_copy(update={"detail": how})

    def _version(self, agent: str, name: str, route: Route) -> str:
        """The card that the lock was judged by; a stand-in has no lock of its own, and is judged by the one in force."""
        status = self._statuses(route).get(agent)
        row = self.rows["current_profile"].get((route.principal, name)) or {"identity": {}}
        return str(status["agent_version"] if status else row["identity"].get("version") or "")

    def _statuses(self, route: Route) -> dict[str, Row]:
        return {key[2]: row for key, row in self.rows["lockfile_status"].items() if key[1] == route.workflow}

    def _evidence(self, row: Row | None, skill: str) -> tuple[Proof, str | None]:
        """The worst of what was tried of this skill and of the agent as a whole, and when that was."""
        policy = self.known.told.policy.policy if self.known.told.policy else Policy()
        tried = [one for one in (row or {"claims": ()})["claims"] if one["claim"]["skill"] in {None, skill}]
        found: dict[Proof, str] = {
            _proof(one, policy.evidence_max_age_s, self.now): one["at"] for one in sorted(tried, key=_when)
        }
        worst: Proof = next((proof for proof in _WORST if proof in found), "claimed")
        return worst, found.get(worst)


def _when(claim: Row) -> str:
    return str(claim["at"])


def _proof(claim: Row, max_age_s: int, now: datetime) -> Proof:
    if claim["outcome"] == "contradicted":
        return "contradicted"
    if max_age_s and datetime.fromisoformat(claim["at"]) + timedelta(seconds=max_age_s) < now:
        return "stale"
    return "verified" if claim["outcome"] == "held" else "inconclusive"
