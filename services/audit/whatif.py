"""Two courses of verdicts over one log, laid side by side: as they were told, and as they would have been."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from cardtrail.events import (
    AgentUntracked,
    ChangeDecided,
    Fact,
    LockfileReleased,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.change_decided import Action
from cardtrail.events.model.finding import Verdict
from cardtrail.events.model.value import Value

Pair = tuple[str, str, str]
"""Workflow, agent as its lock names it, principal."""


class Verdicts(Value):
    """What stood for a lock: null before its first decision and after its release; `rules` fired, notes left out."""

    verdict: Verdict | None = None
    action: Action | None = None
    rules: tuple[str, ...] = ()


class Differing(Value):
    """From one sequence to another (null: still) a lock stood otherwise than it would have; `since` is the first one's time."""

    workflow: str
    agent: str
    principal: str
    first: int
    since: str
    until: int | None
    until_at: str | None
    was: Verdicts
    would: Verdicts


class Course:
    """The verdicts of every lock as decisions tell them, by the sequence they took effect at."""

    def __init__(self) -> None:
        """Nothing is decided yet."""
        self.decisions = 0
        self._steps: dict[Pair, list[tuple[int, str, Verdicts]]] = defaultdict(list)
        self._cards: dict[UUID, int] = {}

    def tell(self, stored: Stored) -> None:
        """A fact as it stands on the log: decisions take effect where their card stood, so that compiling takes no time."""
        event = stored.fact.data
        if isinstance(event, ProfileCompiled):
            self._cards[stored.fact.id] = event.card_sequence
        elif isinstance(event, LockfileReleased | AgentUntracked):
            self._end(stored, event)
        elif isinstance(event, ChangeDecided):
            self.decide(event, self.effect(stored.fact, event.considered_through))

    def effect(self, fact: Fact, considered: int) -> int:
        """Where a decision takes effect: at the card whose profile brought it, else at what it considered last."""
        return self._cards.get(fact.causation, considered) if fact.causation else considered

    def decide(self, event: ChangeDecided, at: int) -> None:
        """A decision that takes effect at a sequence."""
        self.decisions += 1
        rules = tuple(sorted({one.rule for one in event.findings if one.severity != "note"}))
        stands = Verdicts(verdict=event.verdict, action=event.action, rules=rules)
        steps = self._steps[(event.workflow, event.agent, event.principal)]
        steps.append((max(at, steps[-1][0] if steps else 0), event.valid_from, stands))

    def end(self, pair: Pair, at: int, when: str) -> None:
        """Nothing stands for the lock any more."""
        if pair in self._steps:
            self._steps[pair].append((at, when, Verdicts()))

    def pairs(self) -> set[Pair]:
        """Every lock that was ever decided about."""
        return set(self._steps)

    def points(self, pair: Pair) -> dict[int, str]:
        """Sequences at which something changed, with their times."""
        return {at: when for at, when, _ in reversed(self._steps.get(pair, []))}

    def at(self, pair: Pair, sequence: int) -> Verdicts:
        """What stands at a sequence."""
        steps = self._steps.get(pair, [])
        place = bisect_right(steps, sequence, key=lambda step: step[0])
        return steps[place - 1][2] if place else Verdicts()

    def _end(self, stored: Stored, event: LockfileReleased | AgentUntracked) -> None:
        flow = event.workflow if isinstance(event, LockfileReleased) else None
        for pair in self.pairs():
            if pair[1:] == (event.agent, event.principal) and flow in {None, pair[0]}:
                self.end(pair, stored.sequence, stored.fact.time.isoformat())


def differing(was: Course, would: Course) -> Iterator[Differing]:
    """Every stretch of the log in which a lock's verdict or action would have been another, by lock, oldest first."""
    for pair in sorted(was.pairs() | would.pairs()):
        points = sorted({**would.points(pair), **was.points(pair)}.items())
        held: tuple[int, str, Verdicts, Verdicts] | None = None
        for sequence, when in points:
            old, new = was.at(pair, sequence), would.at(pair, sequence)
            if held is not None and (held[2], held[3]) != (old, new):
                yield _differing(pair, held, sequence, when)
                held = None
            if held is None and (old.verdict, old.action) != (new.verdict, new.action):
                held = (sequence, when, old, new)
        if held is not None:
            yield _differing(pair, held, None, None)


def _differing(pair: Pair, held: tuple[int, str, Verdicts, Verdicts], until: int | None, when: str | None) -> Differing:
    workflow, agent, principal = pair
    first, since, was, would = held
    return Differing(
        workflow=workflow,
        agent=agent,
        principal=principal,
        first=first,
        since=since,
        until=until,
        until_at=when,
        was=was,
        would=would,
    )
