"""Whom to tell what: the decisions in force minus what was told already. Pure; a replay tells nobody anything.

A finding is told once per workflow and channel while it stands (by fingerprint); acknowledged ones and notes are not sent;
version-only reviews and what our own tools or policy brought, a recovery too, wait for the digest; a recovery is sent once, to
those who were told of the trouble.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.finding import Finding
from cardtrail.services.notifier.memory import Pending, Told

OURS = {"tool", "policy"}
_FIRST_S, _LONGEST_S = 1.0, 300.0
_MOST_DOUBLINGS = 10


def fresh_findings(
    decision: ChangeDecided, told: Collection[str], silenced: Collection[str] = ()
) -> tuple[Finding, ...]:
    """The findings an owner has not heard of: no notes, none told or acknowledged."""
    return tuple(
        finding
        for finding in decision.findings
        if finding.severity != "note" and finding.fingerprint not in told and finding.fingerprint not in silenced
    )


def silenced_at(told: Told, now: datetime) -> frozenset[str]:
    """The findings that a person has accepted, at this instant."""
    return frozenset(name for name, until in told.silenced.items() if until is None or until > now)


def left_to_tell(pending: Pending, told: Told) -> Pending | None:
    """The decision as it waits now, None where there is nothing (left) to tell."""
    event = pending.event
    if not event.channel:
        return None
    news = (
        told.announced if event.recovered else fresh_findings(event, told.fingerprints, silenced_at(told, pending.at))
    )
    return pending.model_copy(update={"digest": event.digest_only or event.cause in OURS}) if news else None


def ripe(
    waiting: Iterable[Pending], now: datetime, digest_hour: int
) -> tuple[tuple[Pending, ...], tuple[Pending, ...]]:
    """What is to be sent now, oldest first: single messages, and the entries of a digest where its hour has come."""
    ordered = sorted(waiting, key=lambda one: (one.at, str(one.decision)))
    digest = tuple(one for one in ordered if one.digest)
    has_come = any(digest_at(one.at, digest_hour) <= now for one in digest)
    return tuple(one for one in ordered if not one.digest), digest if has_come else ()


def digest_at(at: datetime, hour: int) -> datetime:
    """The first full `hour` (UTC) after an instant."""
    same_day = at.replace(hour=hour, minute=0, second=0, microsecond=0)
    return same_day if same_day > at else same_day + timedelta(days=1)


def back_off_s(failures: int, asked_s: int | None) -> float:
    """Seconds before the next attempt at a channel: doubling from a second to five minutes, never before `Retry-After`."""
    doubled = _FIRST_S * float(2 ** min(failures - 1, _MOST_DOUBLINGS))
    return max(min(doubled, _LONGEST_S), float(asked_s or 0))
