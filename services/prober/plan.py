"""Which tests an agent is due for, and when each comes again. Pure.

Without being asked only what some lock needs is tested, and that the binding answers at all; nothing that was not agreed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from cardtrail.events.model.evidence import Claim
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.projections.claims import claimed
from cardtrail.services.contract import SafetyContract
from cardtrail.services.jitter import fraction
from cardtrail.services.prober.allowance import disagreed
from cardtrail.services.prober.memory import Check, Checks, Subject
from cardtrail.services.prober.probe import Probe
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.settings import ProbeSettings
from cardtrail.services.verdict.claims import same_claim

ALWAYS = "binding-answers"
_JITTER = 0.1
_MOST = 64
_MOST_DOUBLINGS = 20
_LONGEST_WAIT_S = 7 * 86_400


def planned(
    subject: Subject, demand: tuple[Claim, ...] | None, contract: SafetyContract | None
) -> tuple[tuple[str, Claim], ...]:
    """The tests that locks ask for, at most 64 of one agent."""
    if demand is None:
        return ()
    found = (
        (probe.id, claim)
        for probe in PROBES.values()
        for claim in testable_claims(subject, probe, contract)
        if probe.id == ALWAYS or any(same_claim(claim, need) for need in demand)
    )
    return tuple(one for _, one in zip(range(_MOST), found, strict=False))


def testable_claims(subject: Subject, probe: Probe, contract: SafetyContract | None) -> Iterator[Claim]:
    """The claims of the profile in force that this probe may test."""
    profile = subject.profile
    if profile is None or profile.interface is None:
        return
    for claim in probe.claims(profile):
        if not disagreed(contract, probe, claim, profile.interface, subject.home):
            yield claim


def asked(
    subject: Subject, checks: Checks, probe: str, contract: SafetyContract | None
) -> tuple[tuple[str, Claim], ...]:
    """What is tested when somebody asks: all that is agreed of one probe; of none in particular, what is planned."""
    if not probe:
        return tuple((check.probe, check.claim) for check in checks.entries)
    if probe not in PROBES:
        return ()
    return tuple((probe, claim) for claim in testable_claims(subject, PROBES[probe], contract))[:_MOST]


def is_affected(old: Subject, new: Subject, claim: Claim) -> bool:
    """Whether what was seen of a claim may hold no longer: it is claimed otherwise, or another endpoint would be asked."""
    if old.profile is None or new.profile is None:
        return True
    moved = old.profile.interface != new.profile.interface
    return moved or claimed(old.profile, claim) != claimed(new.profile, claim)


def next_due(test: Check, event: ProbeRecorded, now: datetime, settings: ProbeSettings, agent: str) -> datetime:
    """When a test comes again: slowly while it holds, sooner after a contradiction, at growing distances if nothing was learned.

    Never before `Retry-After`, which counts up to a week; an interrupted one not before the distance of a contradiction.
    """
    again = min(settings.again, settings.interval)
    if event.outcome == "held":
        wait: float = settings.interval
    elif event.outcome == "contradicted" or event.reason == "interrupted":
        wait = again
    else:
        doubled = settings.retry * 2 ** min(test.fruitless, _MOST_DOUBLINGS)
        wait = min(doubled, max(settings.interval, settings.retry))
    wait = max(wait, min(event.retry_after_s or 0, _LONGEST_WAIT_S))
    return now + timedelta(seconds=wait * (1 + _JITTER * fraction(f"{agent} {event.claim}", test.fruitless)))
