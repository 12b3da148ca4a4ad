"""Is a declared media type taken? One `SendMessage` whose parts carry it, as the contract words it.

A pass proves little (many servers check nothing); ContentTypeNotSupportedError contradicts the claim.
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
    mode_claims,
    no_evidence,
    sending,
    unexpected,
)


def _claims(profile: Profile) -> tuple[Claim, ...]:
    return mode_claims(profile, "input-mode", lambda skill: skill.input)


def _attempt(interface: Interface, profile: Profile, _claim: Claim, message: dict[str, Any]) -> Attempt:
    return sending(interface, profile, message, configuration={"returnImmediately": True})


def _judge(_profile: Profile, claim: Claim, seen: Seen) -> Judged:
    if error_name(seen) == "ContentTypeNotSupportedError":
        return contradicted("content-type-refused", str(claim.value))
    nothing = no_evidence(seen)
    if nothing is not None:
        return nothing
    return held("accepted") if seen.answer is not None and seen.answer.kind == "result" else unexpected(seen)


PROBE = Probe(id="input-mode", runs_message=True, claims=_claims, attempt=_attempt, judge=_judge)
