"""The broker: there, with its streams as wanted, room left, a clock like ours."""

from collections.abc import Iterator

from cardtrail.services.cli.live.checks.gathered import Gathered, Live, failed, ok, warning
from cardtrail.services.cli.outputs.doctor import Check

_SKEW_S, _FAR_S = 2.0, 30.0
_FULL, _ALMOST = 0.95, 0.80
_LOSES = {"max_age", "max_msgs", "max_msgs_per_subject", "discard", "deny_delete", "deny_purge", "retention"}


def checks(found: Gathered) -> Iterator[Check]:
    """All of it; one answer where it is away."""
    if found.live is None:
        away = found.away
        said = ": ".join(filter(None, (away.file, away.message))) if away else "not reached"
        yield failed("broker", said, away.hint if away and away.hint else "cardtrail up, or set NATS_URL")
        return
    yield ok("broker", "reachable, JetStream on")
    yield from _streams(found.live)
    yield _room(found.live)
    yield _clock(found.live)


def _streams(live: Live) -> Iterator[Check]:
    if not live.differences:
        yield ok("streams", "as wanted")
    for one in live.differences:
        lost = ": facts will be lost" if one.setting in _LOSES else ""
        said = f"{one.stream} {one.setting} {one.live} where {one.wanted} is wanted{lost}"
        if one.setting == "stream":
            yield failed("streams", f"{one.stream} is missing", "start a service: it creates what is missing")
        else:
            yield warning("streams", said, "in NATS; never rewritten by cardtrail")


def _room(live: Live) -> Check:
    if live.log.max_bytes <= 0:
        return warning("room", "the log has no limit of its own: a full disk stops everything", "set max_bytes in NATS")
    share = live.log.bytes / live.log.max_bytes
    said = f"the log is at {share:.0%} of {live.log.max_bytes / 2**30:.1f} GiB"
    fix = "raise max_bytes of CARDTRAIL_FACTS in NATS; nothing is ever thrown away"
    if share >= _FULL:
        return failed("room", f"{said}; at 100 % nothing more is taken", fix)
    return warning("room", said, fix) if share >= _ALMOST else ok("room", said)


def _clock(live: Live) -> Check:
    off = abs(live.skew_s)
    said = f"the broker's clock is {off:.1f} s {'ahead of' if live.skew_s > 0 else 'behind'} this machine's"
    fix = "synchronise both with NTP: deadlines and as-of go by the broker's clock"
    if off >= _FAR_S:
        return failed("clock", said, fix)
    return warning("clock", said, fix) if off >= _SKEW_S else ok("clock", said)
