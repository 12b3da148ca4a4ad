"""Does the agent refuse a protocol version that cannot exist? A pass shows that the header is read; silence proves nothing."""

from typing import Any

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.prober.probe import (
    Attempt,
    Judged,
    Probe,
    Seen,
    error_name,
    get_absent_task,
    header_lost,
    held,
    inconclusive,
    no_evidence,
    testable,
)

IMPOSSIBLE = "99.0"


def _claims(profile: Profile) -> tuple[Claim, ...]:
    chosen = testable(profile)
    return () if chosen is None or chosen.version.startswith("0.") else (Claim(kind="version-enforced"),)


def _attempt(interface: Interface, _profile: Profile, _claim: Claim, _message: dict[str, Any]) -> Attempt:
    return Attempt(request=get_absent_task(interface, version=IMPOSSIBLE))


def _judge(profile: Profile, _claim: Claim, seen: Seen) -> Judged:
    if header_lost(profile, seen):
        return inconclusive("version-header-lost", "the agent saw another version than was sent")
    if error_name(seen) == "VersionNotSupportedError":
        return held("version-refused")
    return no_evidence(seen) or inconclusive("not-enforced", "the version header is not checked, which proves nothing")


PROBE = Probe(id="version-enforced", runs_message=False, claims=_claims, attempt=_attempt, judge=_judge)
