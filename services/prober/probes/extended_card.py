"""Is there an extended card, and is it another one than the public? `GetExtendedAgentCard` with the principal's credential."""

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
    inconclusive,
    no_evidence,
    testable,
    unexpected,
)
from cardtrail.services.wire.request import build

_REFUTING = {"ExtendedAgentCardNotConfiguredError": "not-configured", "UnsupportedOperationError": "unsupported"}


def _claims(profile: Profile) -> tuple[Claim, ...]:
    return (Claim(kind="extended-card"),) if profile.extended_card and testable(profile) is not None else ()


def _attempt(interface: Interface, _profile: Profile, _claim: Claim, _message: dict[str, Any]) -> Attempt:
    return Attempt(request=build(interface, "GetExtendedAgentCard", {}, request_id="cardtrail-probe-extended"))


def _judge(_profile: Profile, _claim: Claim, seen: Seen) -> Judged:
    name = error_name(seen)
    if name in _REFUTING:
        return contradicted(_REFUTING[name], name)
    nothing = no_evidence(seen)
    if nothing is not None:
        return nothing
    if seen.answer is None or seen.answer.kind != "result":
        return unexpected(seen)
    if seen.strange:
        return contradicted("not-a-card", seen.strange)
    if seen.distinct_card:
        return held("distinct")
    return inconclusive("public-card-again", "the public card came back: were we authenticated?")


PROBE = Probe(id="extended-card", runs_message=False, claims=_claims, attempt=_attempt, judge=_judge)
