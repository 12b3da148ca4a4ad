"""How to make a call by profile: what to send where, and what to do when streaming turns out not to work (A2A §3.6, §8.3).

Pure. The profile decides, never the card: a flag that is not true is an operation that is not used.
"""

from typing import Any, Literal

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.events.model.value import Value
from cardtrail.services.card.endpoint import unfit_interface
from cardtrail.services.card.paths import visible
from cardtrail.services.wire.errors import BY_CODE, BY_REASON
from cardtrail.services.wire.request import WireRequest, build, can_build

Refusal = Literal[
    "not-permitted",
    "profile-unknown",
    "profile-unusable",
    "binding-not-http",
    "skill-unknown",
    "operation-not-claimed",
    "operation-unknown",
    "mode-not-taken",
    "interface-unfit",
    "request-unfit",
]
_LONGEST = 300
_NOT_ACTED_UPON = frozenset(("UnsupportedOperationError", "MethodNotFoundError"))


class CallPlan(Value):
    """A call that the profile allows: the request but for credentials; `fallback` is the plain operation beside a stream.

    `interface` is where a task that comes of it lives on, whatever the profile says later; `extensions` are those asked for;
    `streaming` says that streams may be asked for there, `task` that the call is about an existing task.
    """

    operation: str
    skill: str | None
    request: WireRequest
    fallback: WireRequest | None = None
    profile_digest: str = ""
    agent: str = ""
    interface: Interface
    extensions: tuple[str, ...] = ()
    sent_modes: tuple[str, ...] = ()
    accepted_modes: tuple[str, ...] = ()
    streaming: bool = False
    task: bool = False


class CallRefused(Value):
    """A call that the profile does not allow, with the reason and what it has instead."""

    reason: Refusal
    detail: str


class Wanted(Value):
    """What the caller wants: a skill, the A2A message, whether to stream, which media types go in and may come out."""

    skill: str | None = None
    message: dict[str, Any]
    stream: bool = False
    sent_modes: tuple[str, ...] = ()
    accepted_modes: tuple[str, ...] = ()
    request_id: str


def plan_call(
    profile: Profile, wanted: Wanted, *, profile_digest: str = "", degraded: tuple[str, ...] = ()
) -> CallPlan | CallRefused:
    """The call plan, or why the profile does not allow the call; `degraded` names operations to avoid for now."""
    chosen = profile.interface
    if not profile.usable or chosen is None:
        why = "; ".join(reason.detail for reason in profile.reasons) or "no interface"
        return CallRefused(reason="profile-unusable", detail=why)
    if why := unfit_interface(chosen):
        return CallRefused(reason="interface-unfit", detail=why)
    if not can_build(chosen):
        return CallRefused(reason="binding-not-http", detail=f"{chosen.binding} is spoken by an SDK, not here")
    refused = _mismatch(profile, wanted)
    if refused is not None:
        return refused
    try:
        return _planned(profile, chosen, wanted, profile_digest, degraded)
    except InputRefused as error:
        return unfit_request(error)


def _planned(
    profile: Profile, chosen: Interface, wanted: Wanted, profile_digest: str, degraded: tuple[str, ...]
) -> CallPlan:
    known = tuple(extension.uri for extension in profile.extensions if extension.known)
    params: dict[str, Any] = {"message": wanted.message}
    if wanted.accepted_modes:
        params["configuration"] = {"acceptedOutputModes": list(wanted.accepted_modes)}
    plain = build(chosen, "SendMessage", params, request_id=wanted.request_id, extensions=known)
    made = CallPlan(
        operation="SendMessage",
        skill=wanted.skill,
        request=plain,
        profile_digest=profile_digest,
        interface=chosen,
        extensions=known,
        sent_modes=wanted.sent_modes,
        accepted_modes=wanted.accepted_modes,
        streaming=profile.streaming and "streaming" not in degraded,
        task=bool(wanted.message.get("taskId")),
    )
    if not wanted.stream or not made.streaming:
        return made
    stream = build(chosen, "SendStreamingMessage", params, request_id=wanted.request_id, extensions=known)
    return made.model_copy(update={"operation": "SendStreamingMessage", "request": stream, "fallback": plain})


def unfit_request(error: InputRefused) -> CallRefused:
    """What is asked for cannot be written as a request, or leads elsewhere."""
    reason: Refusal = "interface-unfit" if error.code == "interface-unfit" else "request-unfit"
    return CallRefused(reason=reason, detail=visible(str(error))[:_LONGEST])


def refuses_streaming(error: ReportedError, *, task: bool) -> bool:
    """Whether the failure of a streaming call is the agent's refusal to stream, after which the plain call may be made.

    Only a refusal proves that the message was not acted upon: a stream that broke off, or never began, must not be repeated.
    About an existing `task` a refusal says nothing of streaming (A2A 1.0.1 §3.1.2).
    """
    return (
        not task and (error.name or BY_REASON.get(error.reason) or BY_CODE.get(error.code or 0, "")) in _NOT_ACTED_UPON
    )


def fall_back(plan: CallPlan, error: ReportedError) -> CallPlan | None:
    """The plain call after a stream that the agent refused; None after any other failure."""
    if plan.fallback is None or not refuses_streaming(error, task=plan.task):
        return None
    return plan.model_copy(update={"operation": "SendMessage", "request": plan.fallback, "fallback": None})


def called(plan: CallPlan, *, at: str, latency_ms: float, error: ReportedError | None) -> Call:
    """How a planned call went, as a report carries it; `at` RFC 3339, milliseconds."""
    return Call(
        at=at,
        operation=plan.operation,
        skill=plan.skill,
        binding=plan.interface.binding,
        version=plan.interface.version,
        extensions=plan.extensions,
        sent_modes=plan.sent_modes,
        accepted_modes=plan.accepted_modes,
        task=plan.task,
        latency_ms=latency_ms,
        error=error,
    )


def plan_extended_card(
    profile: Profile, *, request_id: str, profile_digest: str = "", agent: str = ""
) -> CallPlan | CallRefused:
    """The extended card's request, only where the flag is true (§3.1.11)."""
    chosen = profile.interface
    if not profile.usable or chosen is None or not can_build(chosen):
        return CallRefused(reason="profile-unusable", detail="no interface to ask on")
    if not profile.extended_card:
        return CallRefused(reason="operation-not-claimed", detail="capabilities.extendedAgentCard is not true")
    try:
        request = build(chosen, "GetExtendedAgentCard", {}, request_id=request_id)
    except InputRefused as error:
        return unfit_request(error)
    return CallPlan(
        operation="GetExtendedAgentCard",
        skill=None,
        request=request,
        profile_digest=profile_digest,
        agent=agent,
        interface=chosen,
    )


def _mismatch(profile: Profile, wanted: Wanted) -> CallRefused | None:
    if wanted.skill is None:
        return None
    have = profile.skills.get(wanted.skill)
    if have is None:
        return CallRefused(
            reason="skill-unknown", detail=f"offered: {', '.join(sorted(profile.skills)[:20]) or 'nothing'}"
        )
    taken = {_plain(mode) for mode in have.input}
    missing = [mode for mode in wanted.sent_modes if _plain(mode) not in taken]
    if missing:
        return CallRefused(
            reason="mode-not-taken", detail=f"{', '.join(missing)}; taken: {', '.join(have.input) or 'nothing'}"
        )
    return None


def _plain(mode: str) -> str:
    return mode.partition(";")[0].strip().lower()
