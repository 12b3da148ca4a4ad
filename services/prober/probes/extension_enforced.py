"""Is a required extension enforced? The agreed message without it; the agent may run the message, so a contract is needed.

ExtensionSupportRequiredError holds the claim; being served proves nothing (many servers do not enforce it).
"""

from typing import Any

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.prober.probe import (
    Attempt,
    Judged,
    Probe,
    Seen,
    error_name,
    held,
    inconclusive,
    no_evidence,
    sending,
    testable,
)


def _claims(profile: Profile) -> tuple[Claim, ...]:
    if testable(profile) is None:
        return ()
    return tuple(Claim(kind="extension", value=each.uri) for each in profile.extensions if each.required)


def _attempt(interface: Interface, profile: Profile, claim: Claim, message: dict[str, Any]) -> Attempt:
    return sending(interface, profile, message, without=claim.value)


def _judge(_profile: Profile, _claim: Claim, seen: Seen) -> Judged:
    if error_name(seen) == "ExtensionSupportRequiredError":
        return held("enforced")
    return no_evidence(seen) or inconclusive("not-enforced", "the call was served without the extension")


PROBE = Probe(id="extension-enforced", runs_message=True, claims=_claims, attempt=_attempt, judge=_judge)
