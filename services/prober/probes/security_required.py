"""Is authentication really demanded, or really not? A call without any credential, that runs no message.

A card that demands it is held by 401/403 and contradicted by an answer; one that demands none the other way round.
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
    get_absent_task,
    held,
    no_evidence,
    testable,
    unexpected,
)


def _claims(profile: Profile) -> tuple[Claim, ...]:
    if testable(profile) is None:
        return ()
    anonymous = not profile.security or any(not way.schemes for way in profile.security)
    return (Claim(kind="security", value="anonymous" if anonymous else "required"),)


def _attempt(interface: Interface, _profile: Profile, _claim: Claim, _message: dict[str, Any]) -> Attempt:
    return Attempt(request=get_absent_task(interface), anonymous=True)


def _judge(_profile: Profile, claim: Claim, seen: Seen) -> Judged:
    refused = seen.answer is not None and seen.answer.kind in {"unauthorized", "forbidden"}
    if refused and not seen.fault:
        return contradicted("authentication-demanded") if claim.value == "anonymous" else held("refused")
    nothing = no_evidence(seen)
    if nothing is not None:
        return nothing
    if error_name(seen) == "TaskNotFoundError":
        return (
            held("let-in") if claim.value == "anonymous" else contradicted("let-in", "an anonymous call was answered")
        )
    return unexpected(seen)


PROBE = Probe(id="security-required", runs_message=False, claims=_claims, attempt=_attempt, judge=_judge)
