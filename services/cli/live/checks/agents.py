"""The agents: looked at when they are due, and answering."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.checks.gathered import Gathered, Live, failed, ok, some, warning
from cardtrail.services.cli.live.heard import heard
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.cli.outputs.status import Heard
from cardtrail.services.cli.shell.text import plain

_LATE = timedelta(minutes=10)
_MANY = 3


def checks(found: Gathered) -> Iterator[Check]:
    """How they stand, and whether looks are late."""
    if found.live is None:
        return
    yield from _standing(found.live, found.now)
    late = sorted(
        key[0] for key, row in found.live.due.items() if datetime.fromisoformat(row["due"]) + _LATE < found.now
    )
    if late:
        said = f"{counted(len(late), 'look')} late by more than 10 minutes: {some([plain(name) for name in late])}"
        yield failed("schedule", said, "raise limits.fetchers, or run one more fetcher")
    else:
        yield ok("schedule", f"{counted(len(found.live.due), 'agent')} looked at in time")


def _standing(live: Live, now: datetime) -> Iterator[Check]:
    groups: defaultdict[Heard, list[str]] = defaultdict(list)
    for (agent, principal), gone in live.known.told.gone.items():
        if not gone:
            groups[heard(live.known.freshness.get((principal, agent)), live.staleness_s, now)].append(plain(agent))
    total = sum(map(len, groups.values()))
    away = len(groups["unreachable"])
    if away == total >= _MANY:
        yield failed(
            "agents", f"none of {total} can be reached: it is most likely us", "look at our network, DNS and proxy"
        )
        return
    for word in ("unreachable", "unreadable", "signature", "stale"):
        names = sorted(set(groups[word]))
        if names:
            yield warning("agents", f"{len(names)} {word}: {some(names)}", f"cardtrail history {names[0]}")
    if set(groups) <= {"fresh", "unheard"} or not any(
        groups[w] for w in ("unreachable", "unreadable", "signature", "stale")
    ):
        yield ok("agents", f"{len(groups['fresh'])} of {total} fresh")
