"""Does the chosen interface speak the binding and version that the card says? `GetTask` of a task that cannot exist.

Held by TaskNotFoundError. Contradicted by an unknown method or version, by no route, by an answer that is no A2A answer at all.
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
    header_lost,
    held,
    inconclusive,
    no_evidence,
    no_route,
    other_generation,
    testable,
    unexpected,
)

_REFUTING = {"MethodNotFoundError": "method-unknown", "VersionNotSupportedError": "version-refused"}
_STRANGE = {"not-a2a", "empty", "stream"}


def _claims(profile: Profile) -> tuple[Claim, ...]:
    chosen = testable(profile)
    return () if chosen is None else (Claim(kind="version", value=f"{chosen.binding} {chosen.version}"),)


def _attempt(interface: Interface, _profile: Profile, _claim: Claim, _message: dict[str, Any]) -> Attempt:
    return Attempt(request=get_absent_task(interface))


def _judge(profile: Profile, _claim: Claim, seen: Seen) -> Judged:
    name = error_name(seen)
    if name == "TaskNotFoundError":
        return held("task-not-found")
    if header_lost(profile, seen):
        return inconclusive("version-header-lost", "the agent saw another version than was sent")
    if name in _REFUTING:
        return contradicted(_REFUTING[name], name)
    answer = seen.answer
    if answer is not None and no_route(profile, seen):
        return contradicted("no-route", f"HTTP {answer.status}")
    nothing = no_evidence(seen)
    if nothing is None and answer is not None and answer.status < 300 and answer.kind in _STRANGE:  # noqa: PLR2004 — HTTP
        return contradicted(answer.kind, answer.detail)
    return nothing or unexpected(seen)


PROBE = Probe(
    id="binding-answers", runs_message=False, claims=_claims, attempt=_attempt, judge=_judge, instead=other_generation
)
