"""The locks: on agents that are watched, decided, and acceptances that do not end unnoticed."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from cardtrail.projections.projection import Row
from cardtrail.services.cli.formats.words import FINGERPRINT, counted
from cardtrail.services.cli.live.checks.gathered import Gathered, Live, ok, some, warning
from cardtrail.services.cli.live.stand_ins import alone
from cardtrail.services.cli.live.when import span
from cardtrail.services.cli.live.words import tracking
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.cli.shell.text import plain

_SOON = timedelta(days=3)
_PATIENCE = timedelta(minutes=10)
_STALE = "claim-unverified"


def checks(found: Gathered) -> Iterator[Check]:
    """One answer where all is well, else one for each kind of trouble."""
    if found.live is None:
        return
    live, now = found.live, found.now
    problems = [*_unwatched(live), *_undecided(live, now), *_unproven(live), *_alone(live), *_ending(live, now)]
    yield from problems or [ok("locks", f"{counted(len(found.live.locks), 'lock')} on watched agents, all decided")]


def _unwatched(live: Live) -> Iterator[Check]:
    known = live.known
    names = sorted({name for name, who in known.locked if known.watched((known.called(name, who), who)) is None})
    if names:
        said = f"locks name {counted(len(names), 'agent')} that nobody watches: {some([plain(name) for name in names])}"
        yield warning("locks", said, f"{tracking(plain(names[0]))}, or cardtrail release")


def _undecided(live: Live, now: datetime) -> Iterator[Check]:
    old = [row for row in live.locks.values() if row["verdict"] == "pending" and _at(row["since"]) + _PATIENCE < now]
    for row in old[:1]:
        said = f"{counted(len(old), 'lock')} undecided for {span((now - _at(row['since'])).total_seconds())}"
        yield warning(
            "locks",
            f"{said}: {plain(row['workflow'])} × {plain(row['agent'])}",
            f"cardtrail show {plain(row['agent'])}",
        )


def _unproven(live: Live) -> Iterator[Check]:
    """Locks that rest on evidence which is missing or has grown too old."""
    rows = [row for row in live.locks.values() if any(one["rule"] == _STALE for one in row["findings"])]
    if rows:
        named = some([f"{plain(row['workflow'])} × {plain(row['agent'])}" for row in rows])
        said = f"evidence is missing or too old for {counted(len(rows), 'lock')}: {named}"
        yield warning("locks", said, f"cardtrail probe {plain(rows[0]['agent'])}; is a safety contract agreed?")


def _alone(live: Live) -> Iterator[Check]:
    """Locks whose every fallback is stopped itself: the next break stops the workflow."""
    held = alone(live.routes)
    if held:
        named = some([f"{plain(workflow)} × {plain(agent)}" for _, workflow, agent in sorted(held)])
        first = held[min(held)][0]
        said = f"no agent stands behind {counted(len(held), 'lock')} any more: {named}"
        yield warning("locks", said, f"cardtrail show {plain(first.watched)}; name another fallback, or a person")


def _ending(live: Live, now: datetime) -> Iterator[Check]:
    for row in live.locks.values():
        for finding in row["findings"]:
            until = _until(finding)
            if until is not None and now < until < now + _SOON:
                left = span((until - now).total_seconds())
                said = f"the acceptance of {finding['rule']} for {plain(row['workflow'])} ends in {left}"
                yield warning(
                    "locks", said, f"cardtrail ack {finding['fingerprint'][:FINGERPRINT]} --reason … --until …"
                )


def _until(finding: Row) -> datetime | None:
    held = finding["acknowledged"]
    return _at(held["until"]) if held is not None and held["until"] else None


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)
