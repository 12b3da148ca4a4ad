"""Are the decisions on the log those that follow from it? Judged again by the same fold, compared id by id."""

from time import monotonic

from cardtrail.events import ChangeDecided, Fact, Stored
from cardtrail.services.cli.audit.again import Again, Hypothesis
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.replay import Derived
from cardtrail.services.verdict.rules import RULES_VERSION


async def verified(tracker: Tracker, say: Say) -> Derived:
    """Decisions made under other rules than this release's cannot be made again, and are only counted."""
    started, bench = monotonic(), _Bench()
    again = Again(tracker.bus, Hypothesis(), bench.heard, bench.derived)
    async with watched("decisions", tracker.log.last, say) as seen:
        await again.run(tracker.log.last, seen)
    return Derived(
        decisions=bench.told,
        others=bench.others,
        pending=bench.pending(),
        same=not bench.difference(),
        first_difference=bench.difference(),
        seconds=round(monotonic() - started, 3),
    )


class _Bench:
    """Decisions told and not yet made again, and made again and not yet told; a pair meets and is forgotten."""

    def __init__(self) -> None:
        self.told = self.others = 0
        self._latest = 0
        self._told: dict[str, Stored] = {}
        self._made: dict[str, tuple[Fact, int]] = {}
        self._met: set[str] = set()
        self._first: tuple[int, str] | None = None

    def heard(self, stored: Stored) -> None:
        event = stored.fact.data
        if not isinstance(event, ChangeDecided):
            return
        if event.rules_version != RULES_VERSION:
            self.others += 1
            return
        name = stored.fact.id.hex
        if name in self._met:
            return  # told again after a crash, and dropped by every reader
        self.told += 1
        self._latest = max(self._latest, event.considered_through)
        made = self._made.pop(name, None)
        self._met.add(name)
        if made is None:
            self._told[name] = stored
        elif made[0].data != event:
            self._differs(stored.sequence, f"fact {stored.sequence} says otherwise than what follows from the log")

    def derived(self, fact: Fact, sequence: int) -> None:
        self._made[fact.id.hex] = (fact, sequence)

    def pending(self) -> int:
        """What follows from facts behind the last one that a decision on the log considered: not told yet."""
        return sum(sequence > self._latest for _, sequence in self._made.values())

    def difference(self) -> str:
        """The first decision that was told and does not follow, or follows and was not told, "" where there is none."""
        found = [] if self._first is None else [self._first]
        found += [(one.sequence, f"fact {one.sequence} does not follow from the log") for one in self._told.values()]
        if not self.others:
            late = [sequence for _, sequence in self._made.values() if sequence <= self._latest]
            found += [(sequence, f"what follows from fact {sequence} was not told") for sequence in late]
        return min(found)[1] if found else ""

    def _differs(self, sequence: int, what: str) -> None:
        self._first = min(self._first or (sequence, what), (sequence, what))
