"""What a slice rests on in the log before it, so that its decisions are explained there as in the whole log. Pure.

A decision names its causes; a profile its card; an unchanged answer the whole one; since when a finding stands and who accepted
it is told by the decisions and acknowledgements since then; which card a finding is about while cards take turns, by an earlier
decision, whose own findings may be of a still earlier one; that something began anew, by the decision right before, which did not
say it; where a lock started from, by the profile in force at its pin.

The log before the slice is read twice: once to learn what stands at its end, once to pick what that, and the slice, rest on.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cardtrail.events.fact import PUBLIC
from cardtrail.services.audit.shown_by import FLAPPING, Origins
from cardtrail.services.ledger.leaf import Leaf

Told = dict[str, Any]
_Whose = tuple[str, str]


class _Pin(NamedTuple):
    sequence: int
    agent: str
    principal: str


@dataclass(slots=True, eq=False)
class _Decided:
    """A decision, and those whose profiles show its findings, where that is not its own: while cards take turns."""

    leaf: Leaf
    shown_by: "tuple[_Decided, ...]" = ()


@dataclass(slots=True)
class _Run:
    """The decisions about one pair since its verdict, or the oldest of its findings, began, and what was accepted meanwhile.

    They are without a gap, and the one right before them is `before`: older ones are held as `origins`, those that tell which
    profile shows a finding, and without it what they say would seem to stand since then.
    """

    before: _Decided | None = None
    decisions: list[_Decided] = field(default_factory=list)
    accepted: list[Leaf] = field(default_factory=list)
    since: dict[str, int] = field(default_factory=dict)
    origins: Origins[_Decided] = field(default_factory=Origins)

    def decided(self, leaf: Leaf, data: Told) -> None:
        findings = dicts(data.get("findings"))
        prints = [str(one.get("fingerprint", "")) for one in findings]
        one, alternates = _Decided(leaf), any(found.get("rule") == FLAPPING for found in findings)
        self.origins.decided(one, prints, alternates=alternates)
        if alternates:
            shown_by = {self.origins.by[name]: None for name in prints if name in self.origins.by}
            one.shown_by = tuple(origin for origin in shown_by if origin is not one)
        stands = [*prints, f"verdict {data.get('verdict')}"]
        self.since = {name: self.since.get(name, leaf.sequence) for name in stands}
        self.decisions.append(one)
        first = min(self.since.values(), default=leaf.sequence)
        gone = [old for old in self.decisions if old.leaf.sequence < first]
        if gone:
            self.before = gone[-1]
            self.decisions = self.decisions[len(gone) :]
            self.accepted = [old for old in self.accepted if old.sequence > self.before.leaf.sequence]

    def held(self) -> Iterator[Leaf]:
        """All of them, each once."""
        left = [*([self.before] if self.before else []), *self.decisions, *self.origins.by.values()]
        found: dict[int, Leaf] = {one.sequence: one for one in self.accepted}
        while left:
            one = left.pop()
            if one.leaf.sequence not in found:
                found[one.leaf.sequence] = one.leaf
                left.extend(one.shown_by)
        yield from found.values()


class Ground:
    """Told of facts before the slice (`before`) and in it (`ahead`), then, once more, of those before it (`picks`)."""

    def __init__(self) -> None:
        """Nothing is known, nothing is wanted."""
        self._runs: dict[tuple[str, str, str], _Run] = defaultdict(_Run)
        self._profiles: dict[_Whose, list[int]] = defaultdict(list)
        self._names: dict[_Whose, set[str]] = defaultdict(set)
        self._pins: list[_Pin] = []
        self._ids: set[str] = set()
        self._sequences: set[int] = set()

    def before(self, leaf: Leaf, kind: str, told: Told) -> None:
        """A fact before the slice."""
        self._learn(leaf, kind, told)
        agent, principal, data = told.get("subject", ""), told.get("principal", PUBLIC), told.get("data", {})
        pair = (str(data.get("workflow", "")), agent, principal)
        if kind == "change-decided":
            self._runs[pair].decided(leaf, data)
        elif kind == "change-acknowledged":
            self._runs[pair].accepted.append(leaf)

    def standing(self) -> Iterator[Leaf]:
        """Of what lies before the slice, the decisions and acknowledgements that tell since when what stands, stands."""
        for run in self._runs.values():
            yield from run.held()

    def ahead(self, leaf: Leaf, kind: str, told: Told) -> None:
        """A fact of the slice."""
        self._learn(leaf, kind, told)
        self.holds(leaf, kind, told)

    def holds(self, leaf: Leaf, kind: str, told: Told) -> None:
        """A fact that will be in the bundle: what it rests on is wanted, too."""
        if kind == "lockfile-pinned":
            self._pins.append(_Pin(leaf.sequence, told.get("subject", ""), told.get("principal", PUBLIC)))
        self._want(leaf.sequence, kind, told)

    def settle(self) -> None:
        """Both were read: the profiles in force at the pins are wanted, too."""
        for pin in self._pins:
            for name in {pin.agent, *self._names[pin.agent, pin.principal]}:
                held = self._profiles[name, pin.principal]
                place = bisect_left(held, pin.sequence)
                self._sequences |= set(held[place - 1 : place])

    def picks(self, leaf: Leaf, kind: str, told: Told) -> bool:
        """Whether something in the bundle rests on this fact; what this one rests on is wanted from now on."""
        wanted = leaf.sequence in self._sequences or told.get("id") in self._ids
        if wanted:
            self._want(leaf.sequence, kind, told)
        return wanted

    @property
    def sequences(self) -> frozenset[int]:
        """Where facts lie that are wanted; older ones may still be missing after the second reading."""
        return frozenset(self._sequences)

    def _learn(self, leaf: Leaf, kind: str, told: Told) -> None:
        agent, principal, data = told.get("subject", ""), told.get("principal", PUBLIC), told.get("data", {})
        if kind == "profile-compiled":
            self._profiles[agent, principal].append(leaf.sequence)
        elif kind == "change-decided" and data.get("watched"):
            self._names[agent, principal].add(str(data["watched"]))

    def _want(self, sequence: int, kind: str, told: Told) -> None:
        data = told.get("data", {})
        if kind == "change-decided":
            causes = data.get("causes")
            named = causes if isinstance(causes, list) else []
            self._ids |= {str(cause) for cause in (*named, told.get("causationid")) if cause}
        earlier = data.get({"profile-compiled": "card_sequence", "card-fetched": "same_as"}.get(kind, ""), 0)
        if isinstance(earlier, int) and 0 < earlier < sequence:
            self._sequences.add(earlier)


def dicts(value: object) -> list[Told]:
    """The objects of a JSON array that anybody wrote; none where it is no array."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
