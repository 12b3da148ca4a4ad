"""`Planner`: what a program that delegates work holds on to. It watches its routes and answers from memory, at once.

Nothing is sent to agents here: a permission says whom to use, a plan what to send, and the program sends it. Running tasks
are never touched. While the broker or the tracker is away, the locks say whether delegation goes on (`when_blind`).
"""

import secrets
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from cardtrail.events.fact import PUBLIC, instant
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.services.bus.login import Login
from cardtrail.services.planner import saved
from cardtrail.services.planner.call import (
    CallPlan,
    CallRefused,
    Wanted,
    called,
    fall_back,
    plan_call,
    plan_extended_card,
    refuses_streaming,
)
from cardtrail.services.planner.link import Link
from cardtrail.services.planner.permission import Permission
from cardtrail.services.planner.reporter import Reporter
from cardtrail.services.planner.reports import Reports
from cardtrail.services.planner.task import TaskOperation, plan_reply, plan_task
from cardtrail.services.planner.update import Listener, Update
from cardtrail.services.planner.values import CurrentProfile
from cardtrail.services.planner.view import View

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """This machine's clock."""
    return datetime.now(UTC)


def _fresh_id() -> str:
    """A JSON-RPC id that nobody has used."""
    return secrets.token_hex(8)


class Planner:
    """One workflow's view of the tracker; an async context manager.

    `login` is the planner's account; `snapshot` a file in which its last state is kept, and from which it starts where no
    broker answers. Entering waits up to `patience_s` seconds for all routes. `tracker_silence_s` seconds without a sign of
    life from the tracker's services make it blind.
    """

    def __init__(  # noqa: PLR0913 — a client's settings
        self,
        url: str,
        workflow: str,
        *,
        principal: str = PUBLIC,
        login: Login | None = None,
        snapshot: Path | None = None,
        patience_s: float = 5.0,
        report_every_s: float = 60.0,
        tracker_silence_s: float = 60.0,
        clock: Clock = utc_now,
    ) -> None:
        """Nothing happens before the context is entered."""
        self.workflow, self.principal = workflow, principal
        self._clock, self._patience_s, self._snapshot = clock, patience_s, snapshot
        self._view = View(workflow, principal, clock())
        self._reports = Reports(workflow, principal, lambda: secrets.token_hex(16))
        self._listeners: set[Listener] = set()
        self._unstreamable: dict[str, str] = {}
        self._reporter = Reporter(self._reports, report_every_s)
        self._link = Link(
            url,
            self._view,
            self._reporter,
            login=login,
            clock=clock,
            tell=self._tell,
            silence_s=tracker_silence_s,
            snapshot=snapshot,
        )

    async def __aenter__(self) -> Self:
        """Connect and catch up.

        Raises:
            BrokerUnreachable: no broker answers, and there is no snapshot to go by.
            BrokerRefused: the broker does not know this account.
        """
        kept = saved.load(self._snapshot, self.workflow, self.principal) if self._snapshot else None
        if kept is not None:
            self._view.restore(kept)
        self._link.start()
        try:
            await self._link.ready(self._patience_s, has_snapshot=kept is not None)
        except BaseException:
            await self._link.end()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Send what waits to be reported, keep the snapshot, disconnect."""
        await self._link.end()

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills that the workflow's locks name."""
        return tuple(sorted(self._view.routes))

    def may_delegate(self, skill: str = "") -> Permission:
        """Whether a new delegation of this skill may be made now, to whom, and why not to others. From memory, at once."""
        return self._view.permission(skill, self._clock())

    def plan(  # noqa: PLR0913 — what an A2A call is made of
        self,
        skill: str,
        message: dict[str, Any],
        *,
        stream: bool = False,
        sent_modes: tuple[str, ...] = (),
        accepted_modes: tuple[str, ...] = (),
        request_id: str = "",
    ) -> CallPlan | CallRefused:
        """The request to send for this skill, to the agent that may be used, or why there is none.

        `message` is an A2A Message that begins something; for one to a running task, `plan_reply`. `request_id` is the JSON-RPC
        id, made up where none is given.
        """
        permission = self.may_delegate(skill)
        if permission.agent is None:
            why = "; ".join(f"{one.agent or self.workflow}: {one.code} ({one.detail})" for one in permission.reasons)
            return CallRefused(reason="not-permitted", detail=why)
        name = permission.watched or permission.agent
        held = self._view.profiles.get(name)
        if held is None:
            return CallRefused(reason="profile-unknown", detail=f"no profile of {name} has arrived yet")
        wanted = Wanted(
            skill=permission.agent_skill or None,
            message=message,
            stream=stream,
            sent_modes=sent_modes,
            accepted_modes=accepted_modes,
            request_id=request_id or _fresh_id(),
        )
        degraded = (*permission.degraded, *self._degraded_here(name))
        planned = plan_call(held.profile, wanted, profile_digest=held.profile_digest, degraded=degraded)
        return planned.model_copy(update={"agent": name}) if isinstance(planned, CallPlan) else planned

    def plan_task(
        self, plan: CallPlan, task_id: str, operation: TaskOperation = "GetTask", *, request_id: str = ""
    ) -> CallPlan | CallRefused:
        """How a task that came of a plan stands, its end, its stream again: asked where it was begun, whatever routes say now."""
        return plan_task(self._now(plan), task_id, operation, request_id=request_id or _fresh_id())

    def plan_reply(
        self, plan: CallPlan, task_id: str, message: dict[str, Any], *, stream: bool = False, request_id: str = ""
    ) -> CallPlan | CallRefused:
        """A further message to a task that came of a plan, sent where it was begun, whatever routes say now."""
        return plan_reply(self._now(plan), task_id, message, stream=stream, request_id=request_id or _fresh_id())

    def plan_extended_card(self, agent: str, *, request_id: str = "") -> CallPlan | CallRefused:
        """The request for the extended card of an agent of these routes, by the name under which it is watched."""
        held = self._view.profiles.get(agent)
        if held is None:
            return CallRefused(reason="profile-unknown", detail=f"no profile of {agent} has arrived yet")
        digest, made = held.profile_digest, request_id or _fresh_id()
        return plan_extended_card(held.profile, request_id=made, profile_digest=digest, agent=agent)

    def profile(self, agent: str) -> CurrentProfile | None:
        """The profile of an agent of these routes, by the name under which it is watched; None where none has arrived."""
        return self._view.profiles.get(agent)

    def report(self, plan: CallPlan, *, latency_ms: float, error: ReportedError | None = None, **more: Any) -> None:
        """Say how a planned call went: `error` None = well. `authenticated=True` where a credential was sent.

        Reports leave each minute, at once after an error; while the broker is away the newest 10,000 calls are kept.
        """
        call = called(plan, at=instant(self._clock()), latency_ms=latency_ms, error=error)
        self.report_call(plan.agent, plan.profile_digest, call.model_copy(update=more))

    def report_call(self, agent: str, profile_digest: str, call: Call) -> None:
        """Say how any call to an agent went."""
        if self._reports.add(agent, profile_digest, call):
            self._reporter.soon()

    def fall_back(self, plan: CallPlan, error: ReportedError, *, latency_ms: float = 0.0) -> CallPlan | None:
        """Report a stream that failed; the plain call to make instead where the agent refused to stream, else None.

        Later plans for this agent do not stream until it has a new profile. A stream that broke off is never sent again: its
        message may have been acted upon.
        """
        self.report(plan, latency_ms=latency_ms, error=error)
        plain = fall_back(plan, error)
        if plain is not None:
            self._unstreamable[plan.agent] = plan.profile_digest
        return plain

    def avoided(self, agent: str) -> frozenset[str]:
        """Operations of an agent to avoid for now: those that its judgements name, and streaming where it refused it here."""
        return frozenset((*self._view.degraded(agent), *self._degraded_here(agent)))

    def refused(self, agent: str, profile_digest: str, error: ReportedError, *, task: bool) -> bool:
        """Whether a stream that failed was refused, so that the plain call may be made; remembered as `fall_back` does."""
        found = refuses_streaming(error, task=task)
        if found:
            self._unstreamable[agent] = profile_digest
        return found

    async def updates(self) -> AsyncIterator[Update]:
        """Every route as it is now, a mark that this is all, then every change. Any number may listen; never ends."""
        listener = Listener(lambda: self._view.snapshot(self._clock()))
        self._listeners.add(listener)
        try:
            while True:
                yield await listener.next()
        finally:
            self._listeners.discard(listener)

    async def flush(self, *, within_s: float = 5.0) -> bool:
        """Send every report that waits; whether all were stored in time."""
        return await self._link.flush(within_s)

    @property
    def unreported(self) -> tuple[int, int]:
        """Calls that wait to be reported, and calls that were dropped because too many waited."""
        return len(self._reports), self._reports.dropped

    def _now(self, plan: CallPlan) -> CallPlan:
        """The plan, without streaming where that is to be avoided by now."""
        return plan.model_copy(update={"streaming": plan.streaming and "streaming" not in self.avoided(plan.agent)})

    def _degraded_here(self, agent: str) -> tuple[str, ...]:
        held = self._view.profiles.get(agent)
        digest = held.profile_digest if held is not None else ""
        return ("streaming",) if self._unstreamable.get(agent) == digest else ()

    def _tell(self, update: Update) -> None:
        for listener in self._listeners:
            listener.tell(update)
