"""Whether a break was announced: the first sign of it, and how long before. Pure.

A sign is a raised version (more than a patch), an interface offered beside the old one, or a Deprecation or Sunset header (RFC
9745, RFC 8594). It counts for the first break behind it within 90 days; after a break without one, the first sign within 90 days
came after. Both ends are windows, so the notice is a range.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from cardtrail.events.fact import instant
from cardtrail.services.report.fleet import Fleet
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import Notice, NoticeLine, NoticeShare
from cardtrail.services.report.rows import Broken, Changed
from cardtrail.services.report.shares import pooled
from cardtrail.services.verdict.versions import is_patch, went_down

_HORIZON = timedelta(days=90)
_KINDS: tuple[Notice, ...] = ("before", "same card", "after", "never")


class _Sign(NamedTuple):
    what: str
    after: datetime | None
    seen: datetime
    sequence: int


def notices(held: Material, fleet: Fleet) -> tuple[NoticeLine, ...]:
    """Each break by a change of the card, once, oldest first."""
    lines = [line for agent in fleet.provider_of for line in _of(held, agent, fleet.provider_of[agent])]
    return tuple(sorted(lines, key=lambda line: (line.broke_at, line.provider, line.agent)))


def notice_shares(lines: tuple[NoticeLine, ...]) -> tuple[NoticeShare, ...]:
    """How often notice was given in each way."""
    return tuple(
        NoticeShare(notice=kind, share=pooled(sum(line.notice == kind for line in lines), len(lines)))
        for kind in _KINDS
    )


def _of(held: Material, agent: str, provider: str) -> Iterator[NoticeLine]:
    changes = [change for change in held.changes if change.agent == agent]
    by_sequence = {change.sequence: change for change in changes}
    signs = list(_signs(changes, held.announced.get(agent)))
    told: set[str] = set()
    before = datetime.min.replace(tzinfo=held.began.tzinfo)
    for broken in (broken for broken in held.breaks if broken.agent == agent):
        change = by_sequence.get(broken.change_sequence or 0)
        if change is None or broken.key in told:
            continue
        told.add(broken.key)
        if change.first_seen >= held.since:
            yield _line(provider, broken, change, *_notice(change, signs, before))
        before = change.first_seen


def _signs(changes: list[Changed], announced: datetime | None) -> Iterator[_Sign]:
    for change in changes:
        raised = change.version != change.version_before and not went_down(change.version_before, change.version)
        if raised and not is_patch(change.version_before, change.version):
            yield _Sign("version", change.after, change.first_seen, change.sequence)
        elif change.interfaces > change.interfaces_before:
            yield _Sign("interface", change.after, change.first_seen, change.sequence)
    if announced is not None:
        yield _Sign("deprecation", None, announced, 0)


def _notice(change: Changed, signs: list[_Sign], before: datetime) -> tuple[Notice, _Sign | None]:
    """The first sign since the break before this one."""
    known = [sign for sign in signs if max(before, change.first_seen - _HORIZON) < sign.seen]
    ahead = [sign for sign in known if sign.seen < change.first_seen]
    if ahead:
        return "before", min(ahead, key=lambda sign: sign.seen)
    if any(sign.sequence == change.sequence or sign.seen == change.first_seen for sign in known):
        return "same card", next(sign for sign in known if sign.seen == change.first_seen)
    behind = [sign for sign in known if sign.seen <= change.first_seen + _HORIZON]
    return ("after", min(behind, key=lambda sign: sign.seen)) if behind else ("never", None)


def _line(provider: str, broken: Broken, change: Changed, notice: Notice, sign: _Sign | None) -> NoticeLine:
    low, high = _range(change, sign) if sign is not None and notice != "same card" else (None, None)
    return NoticeLine(
        provider=provider,
        agent=broken.agent,
        broke_at=instant(change.first_seen),
        workflows=tuple(broken.workflows),
        rules=tuple(broken.rules),
        notice=notice,
        sign=sign.what if sign else "",
        low_s=0 if notice == "same card" else low,
        high_s=0 if notice == "same card" else high,
    )


def _range(change: Changed, sign: _Sign) -> tuple[int | None, int | None]:
    """Seconds from the sign to the break, at least and at most; None where an end of a window is not known."""
    least = None if change.after is None else int((change.after - sign.seen).total_seconds())
    most = None if sign.after is None else int((change.first_seen - sign.after).total_seconds())
    return least, most
