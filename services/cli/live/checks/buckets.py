"""The buckets that planners watch: set as wanted, and room for those who come to watch them."""

from collections.abc import Iterator

from cardtrail.services.bus.kv_crowd import Crowd
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.checks.gathered import Gathered, failed, ok, warning
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.cli.shell.text import plain

_MANY, _FULL = 0.25, 0.95
_FORGETS = "nats stream edit {0} --limit-consumer-inactive=60s, then restart the broker: what nobody uses is gone a minute later"
_ENDS = (
    "nobody uses most of them? They are gone a minute after their maker is: take its login away, see cardtrail accounts"
)


def checks(found: Gathered) -> Iterator[Check]:
    """One answer per trouble of a bucket."""
    if found.live is None:
        return
    problems = [check for one in found.live.crowds for check in _troubles(one)]
    yield from problems or [
        ok("buckets", f"{counted(len(found.live.crowds), 'bucket')} as wanted, with room for planners")
    ]


def _troubles(one: Crowd) -> Iterator[Check]:
    forgets = not any(each.setting == "consumer_limits" for each in one.differences)
    for each in one.differences:
        if each.setting == "consumer_limits":
            said = f"{one.stream} keeps consumers that nobody uses for ever"
            yield warning("buckets", said, _FORGETS.format(one.stream))
        else:
            said = f"{one.stream} {each.setting} {each.live} where {each.wanted} is wanted"
            yield warning("buckets", said, "in NATS; never rewritten by cardtrail")
    if one.consumers >= _MANY * one.most:
        fix = _ENDS if forgets else _FORGETS.format(one.stream)
        yield (failed if one.consumers >= _FULL * one.most else warning)("buckets", _crowded(one), fix)


def _crowded(one: Crowd) -> str:
    who = f"made by planners of {plain(one.principal)}, the broker keeps no user"
    named = (
        f", called {', '.join(plain(name) for name in one.names)} since {plain(one.since)[:19]}" if one.names else ""
    )
    return f"{one.stream} has {one.consumers:,} of {one.most:,} consumers, {who}{named}; at the limit some are blind"
