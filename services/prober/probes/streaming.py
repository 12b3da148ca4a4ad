"""Does streaming work on this deployment? One `SendStreamingMessage` of the agreed message.

Held by a first event. Contradicted by UnsupportedOperationError, by an unknown method (in JSON-RPC what no route is over HTTP),
by a plain body, by a stream that ends empty or carries no A2A event, and by events that something on the way holds back.
"""

from typing import Any

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.prober.probe import (
    Attempt,
    Judged,
    Probe,
    Seen,
    contradicted,
    error_name,
    held,
    no_evidence,
    no_route,
    sending,
    testable,
    unexpected,
)


def _claims(profile: Profile) -> tuple[Claim, ...]:
    return (Claim(kind="streaming"),) if profile.streaming and testable(profile) is not None else ()


def _attempt(interface: Interface, profile: Profile, _claim: Claim, message: dict[str, Any]) -> Attempt:
    return sending(interface, profile, message, method="SendStreamingMessage")


_REFUTING = {"UnsupportedOperationError": "unsupported", "MethodNotFoundError": "method-unknown"}


def _judge(profile: Profile, _claim: Claim, seen: Seen) -> Judged:
    if error_name(seen) in _REFUTING:
        return contradicted(_REFUTING[error_name(seen)], "the agent says so itself")
    answer = seen.answer
    if answer is not None and answer.kind == "stream" and seen.events > 0:
        if seen.buffered_s:
            return contradicted("buffered", f"what took {seen.buffered_s:.1f} s to make arrived at once")
        return held("event-received")
    nothing = no_evidence(seen)
    if nothing is not None or answer is None:
        return nothing or unexpected(seen)
    if answer.kind == "stream" and seen.strange:
        return contradicted("not-a2a", seen.strange)
    if answer.status >= 300:  # noqa: PLR2004 — HTTP; an empty refusal is a refusal, not a stream that ended
        return contradicted("no-route", f"HTTP {answer.status}") if no_route(profile, seen) else unexpected(seen)
    if answer.kind in {"stream", "empty"}:
        return contradicted("empty-stream", "the stream ended before any event")
    if answer.kind in {"result", "not-a2a"}:
        return contradicted("not-a-stream", f"{answer.media_type or 'no media type'} instead of text/event-stream")
    return unexpected(seen)


PROBE = Probe(id="streaming", runs_message=True, claims=_claims, attempt=_attempt, judge=_judge)
