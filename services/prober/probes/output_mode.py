"""Is a declared media type given back? One `SendMessage` that accepts only it; the parts of the answer are looked at."""

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
    mode_claims,
    no_evidence,
    sending,
    unexpected,
)
from cardtrail.services.wire.answer import media_types


def _claims(profile: Profile) -> tuple[Claim, ...]:
    return mode_claims(profile, "output-mode", lambda skill: skill.output)


def _attempt(interface: Interface, profile: Profile, claim: Claim, message: dict[str, Any]) -> Attempt:
    return sending(interface, profile, message, configuration={"acceptedOutputModes": [claim.value]})


def _judge(_profile: Profile, claim: Claim, seen: Seen) -> Judged:
    if error_name(seen) == "ContentTypeNotSupportedError":
        return contradicted("content-type-refused", str(claim.value))
    nothing = no_evidence(seen)
    if nothing is not None:
        return nothing
    if seen.answer is None or seen.answer.kind != "result":
        return unexpected(seen)
    given = {mode.partition(";")[0].strip().lower() for mode in media_types(seen.answer.result)}
    if not given:
        return inconclusive("no-part", "the answer holds no part to look at")
    wanted = str(claim.value).partition(";")[0].strip().lower()
    return held("given") if wanted in given else contradicted("other-media-type", ", ".join(sorted(given))[:200])


PROBE = Probe(id="output-mode", runs_message=True, claims=_claims, attempt=_attempt, judge=_judge)
