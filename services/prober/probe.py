"""The contract of a probe: which claims of a profile it can test, what it would send, how it judges what came back.

Probes are pure: they build a request and read an answer; the app sends. Throttling, authentication and our own faults are
inconclusive, never evidence against the agent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from cardtrail.events.model.evidence import Claim, Outcome
from cardtrail.events.model.profile import Interface, Profile, SkillProfile
from cardtrail.events.model.value import Value
from cardtrail.services.wire.answer import WireAnswer
from cardtrail.services.wire.errors import refused_version
from cardtrail.services.wire.request import WireRequest, build, can_build, is_legacy

_NO_ROUTE = (404, 405, 501)
ABSENT_TASK = "cardtrail-probe-no-such-task"


class Seen(Value):
    """What came back: the answer (None where none came), how many stream events, our own fault by name, milliseconds.

    `buffered_s`: seconds that events lay somewhere on the way, by the agent's own clock; `task` is one left running.
    """

    answer: WireAnswer | None = None
    events: int = 0
    strange: str = ""
    buffered_s: float = 0.0
    task: str = ""
    fault: str = ""
    latency_ms: float = 0.0
    distinct_card: bool | None = None


class Judged(Value):
    """The outcome with a kebab-case reason and a sentence for a person."""

    outcome: Outcome
    reason: str = ""
    detail: str = ""


class Attempt(Value):
    """A request that a probe wants sent; `anonymous` leaves every credential out."""

    request: WireRequest
    anonymous: bool = False


@dataclass(frozen=True)
class Probe:
    """One kind of test; `runs_message` says that the agent may act on it, so a safety contract is needed.

    `instead` is asked after a contradiction, so that the record can say what does work.
    """

    id: str
    runs_message: bool
    claims: Callable[[Profile], tuple[Claim, ...]]
    attempt: Callable[[Interface, Profile, Claim, dict[str, Any]], Attempt]
    judge: Callable[[Profile, Claim, Seen], Judged]
    instead: Callable[[Interface], tuple[Attempt, str]] | None = None


def held(reason: str = "", detail: str = "") -> Judged:
    """The claim stood the test."""
    return Judged(outcome="held", reason=reason, detail=detail)


def contradicted(reason: str, detail: str = "") -> Judged:
    """The agent itself showed that the claim is false."""
    return Judged(outcome="contradicted", reason=reason, detail=detail)


def inconclusive(reason: str, detail: str = "") -> Judged:
    """Nothing was learned about the claim."""
    return Judged(outcome="inconclusive", reason=reason, detail=detail)


_NO_EVIDENCE = {
    "throttled": "throttled",
    "unavailable": "unavailable",
    "unauthorized": "authentication",
    "forbidden": "authentication",
}


def no_evidence(seen: Seen) -> Judged | None:
    """The outcomes that say nothing about any claim; None where the answer may be judged."""
    if seen.fault:
        return inconclusive(seen.fault, "our side or the network, not the agent")
    if seen.answer is None:
        return inconclusive("no-answer")
    reason = _NO_EVIDENCE.get(seen.answer.kind)
    if reason:
        return inconclusive(reason, f"HTTP {seen.answer.status}")
    if seen.answer.status >= 500 and (seen.answer.error is None or not seen.answer.error.name):  # noqa: PLR2004 — HTTP
        return inconclusive("server-error", f"HTTP {seen.answer.status}")
    return None


def error_name(seen: Seen) -> str:
    """The A2A name of the error that came back, "" where none did."""
    return seen.answer.error.name if seen.answer is not None and seen.answer.error is not None else ""


def unexpected(seen: Seen) -> Judged:
    """An answer that the table does not read as evidence either way."""
    answer = seen.answer
    name = error_name(seen)
    if name:
        return inconclusive("other-error", name)
    return inconclusive("unreadable-answer", answer.detail if answer else "")


def no_route(profile: Profile, seen: Seen) -> bool:
    """Whether nobody serves A2A there: 404, 405 or 501 without an A2A error (0.x over HTTP has no fixed form of one)."""
    answer, chosen = seen.answer, profile.interface
    if seen.fault or answer is None or answer.error is not None or answer.status not in _NO_ROUTE:
        return False
    return chosen is not None and not (chosen.binding == "HTTP+JSON" and is_legacy(chosen))


def get_absent_task(interface: Interface, *, version: str | None = None) -> WireRequest:
    """`GetTask` with an id that cannot exist: runs no message and proves binding, version and authentication."""
    asked = interface if version is None else interface.model_copy(update={"version": version})
    return build(asked, "GetTask", {"id": ABSENT_TASK}, request_id=ABSENT_TASK)


def sending(  # noqa: PLR0913 — what a message can be sent with
    interface: Interface,
    profile: Profile,
    message: dict[str, Any],
    *,
    method: str = "SendMessage",
    configuration: dict[str, Any] | None = None,
    without: object = None,
) -> Attempt:
    """The agreed message, with the card's extensions that we know but for one, and a `SendMessageConfiguration`."""
    known = tuple(each.uri for each in profile.extensions if each.known and each.uri != without)
    params = {"message": message} | ({"configuration": configuration} if configuration else {})
    return Attempt(request=build(interface, method, params, request_id="cardtrail-probe", extensions=known))


def other_generation(interface: Interface) -> tuple[Attempt, str]:
    """The same harmless question in the other generation of the protocol, and that generation's version."""
    other = "1.0" if is_legacy(interface) else "0.3"
    return Attempt(request=get_absent_task(interface, version=other)), other


def header_lost(profile: Profile, seen: Seen) -> bool:
    """Whether the agent refused 0.3, which nobody sent: something on the way has dropped our version header (A2A §3.6)."""
    chosen, error = profile.interface, seen.answer.error if seen.answer else None
    refused = error is not None and error.name == "VersionNotSupportedError" and refused_version(error.message) == "0.3"
    return refused and chosen is not None and not is_legacy(chosen)


def mode_claims(
    profile: Profile, kind: Literal["input-mode", "output-mode"], modes: Callable[[SkillProfile], tuple[str, ...]]
) -> tuple[Claim, ...]:
    """A claim for each media type of each skill."""
    if testable(profile) is None:
        return ()
    return tuple(
        Claim(kind=kind, skill=name, value=mode) for name, skill in profile.skills.items() for mode in modes(skill)
    )


def testable(profile: Profile) -> Interface | None:
    """The interface that can be probed over HTTP; None for gRPC and custom bindings."""
    chosen = profile.interface
    return chosen if profile.usable and chosen is not None and can_build(chosen) else None
