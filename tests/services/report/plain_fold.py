"""The numbers of the report told once more, by walking over the facts with nothing but dictionaries."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from cardtrail.events import (
    AgentTracked,
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeDecided,
    LockfilePinned,
    ProbeRecorded,
    ProfileCompiled,
    RuntimeErrorObserved,
    Stored,
)

DAY = timedelta(days=1)
STREAMS = {"SendStreamingMessage": "streaming", "SubscribeToTask": "streaming", "GetExtendedAgentCard": "extended-card"}


class Told:
    """Walks once; `since` as the report has it."""

    def __init__(self, facts: Sequence[Stored], since: datetime) -> None:
        self.facts, self.since, self.ended = facts, since, facts[-1].stored_at
        self.interval: dict[str, int] = {}
        self.looks: dict[str, list[tuple[datetime, bool, int]]] = defaultdict(list)
        for stored in facts:
            event = stored.fact.data
            if isinstance(event, AgentTracked):
                self.interval[event.agent] = event.interval_s
            elif isinstance(event, CardFetched | CardRefused):
                ok = isinstance(event, CardFetched)
                self.looks[event.agent].append((stored.fact.time, ok, event.latency_ms))

    def spoken(self, agent: str) -> Iterator[tuple[datetime, datetime, bool, datetime | None]]:
        """(from, to, whether up, next look), cut to the period."""
        looks = self.looks[agent]
        for place, (at, ok, _) in enumerate(looks):
            following = looks[place + 1][0] if place + 1 < len(looks) else None
            end = min(following or self.ended, at + timedelta(seconds=2 * self.interval[agent]))
            start = max(at, self.since)
            yield start, max(start, end), ok, following

    def availability(self, agent: str) -> tuple[int, int]:
        """Seconds observed and available, whole seconds a day."""
        days: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
        for start, end, ok, _ in self.spoken(agent):
            at = start
            while at < end:
                midnight = at.replace(hour=0, minute=0, second=0, microsecond=0) + DAY
                part = (min(end, midnight) - at) // timedelta(microseconds=1)
                days[at.date()][0] += part
                days[at.date()][1] += part if ok else 0
                at = midnight
        return sum(day[0] // 1_000_000 for day in days.values()), sum(day[1] // 1_000_000 for day in days.values())

    def outages(self, agent: str) -> list[tuple[int, bool]]:
        """(seconds down, whether it is over) of attempts in a row that failed and did not end before the period."""
        found: list[tuple[timedelta, bool]] = []
        down: timedelta | None = None
        for start, end, ok, following in self.spoken(agent):
            if not ok:
                down = (down or timedelta()) + (end - start)
                if following is None:
                    found.append((down, False))
            elif down is not None:
                if start > self.since:
                    found.append((down, True))
                down = None
        return [(length // timedelta(seconds=1), over) for length, over in found]

    def claim_days(self) -> dict[tuple[str, str], dict[str, int]]:
        """(agent, kind of claim) → outcome → claim-days."""
        shown: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        for stored in self.facts:
            event, at = stored.fact.data, stored.fact.time
            if isinstance(event, CallsCounted):
                minute = datetime.fromisoformat(event.minute)
                if event.operation in STREAMS and event.calls > event.errors and minute >= self.since:
                    shown[event.agent, STREAMS[event.operation], None, None, minute.date()].add("held")
            elif at < self.since:
                continue
            elif isinstance(event, ProbeRecorded):
                claim = event.claim
                shown[event.agent, claim.kind, claim.skill, claim.value, at.date()].add(event.outcome)
            elif isinstance(event, RuntimeErrorObserved) and event.contradicts:
                claim = event.contradicts
                shown[event.agent, claim.kind, claim.skill, claim.value, at.date()].add("contradicted")
        days: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for (agent, kind, *_), outcomes in shown.items():
            worst = next(word for word in ("contradicted", "held", "inconclusive") if word in outcomes)
            days[agent, kind][worst] += 1
        return days

    def errors(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """(agent, operation) → calls, contradicting, errors."""
        found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for stored in self.facts:
            event = stored.fact.data
            if isinstance(event, CallsCounted) and datetime.fromisoformat(event.minute) >= self.since:
                found[event.agent, event.operation][0] += event.calls
            elif isinstance(event, RuntimeErrorObserved) and stored.fact.time >= self.since:
                found[event.agent, event.operation][1] += event.contradicts is not None
                found[event.agent, event.operation][2] += 1
        return {key: (calls, bad, all_) for key, (calls, bad, all_) in found.items()}

    @cached_property
    def changes(self) -> dict[str, list[tuple[datetime, frozenset[tuple[str, str]], Any, timedelta | None]]]:
        """Agent → (first seen, the two sides of the change, id of the profile, window), in order."""
        found: dict[str, list[Any]] = defaultdict(list)
        last: dict[str, tuple[str, str]] = {}
        full: dict[str, list[tuple[int, datetime]]] = defaultdict(list)
        for stored in self.facts:
            event = stored.fact.data
            if isinstance(event, CardFetched) and event.status != 304:
                full[event.agent].append((stored.sequence, stored.fact.time))
            if isinstance(event, ProfileCompiled):
                now = (event.profile_digest, event.identity_digest)
                if event.agent in last and last[event.agent] != now:
                    seen = self.facts[event.card_sequence - 1].fact.time
                    before = [at for sequence, at in full[event.agent] if sequence < event.card_sequence]
                    found[event.agent].append(
                        (seen, frozenset((last[event.agent], now)), stored.fact.id, seen - before[-1])
                    )
                last[event.agent] = now
        return found

    def breaks(self) -> dict[str, set[Any]]:
        """Agent → distinct breaks in the period."""
        sides = {name: side for held in self.changes.values() for _, side, name, _ in held}
        found: dict[str, set[Any]] = defaultdict(set)
        for stored in self.facts:
            event = stored.fact.data
            if (
                isinstance(event, ChangeDecided)
                and event.verdict == "breaking" != event.previous
                and event.cause == "agent"
            ):
                cause = stored.fact.causation
                key = sides.get(cause) if cause else None
                named = frozenset(
                    (finding.rule, finding.subject) for finding in event.findings if finding.severity == "breaking"
                )
                if datetime.fromisoformat(event.valid_from) >= self.since:
                    found[event.watched or event.agent].add(key or named)
        return found

    def recoveries(self) -> list[tuple[str, float, bool]]:
        """(agent, seconds, whether the agent mended it) of breaks that began in the period; one lock an agent here."""
        begun: dict[str, datetime] = {}
        found = []
        for stored in self.facts:
            event = stored.fact.data
            if not isinstance(event, ChangeDecided):
                continue
            at = datetime.fromisoformat(event.valid_from)
            if event.verdict == "breaking" and event.cause == "agent":
                begun.setdefault(event.agent, at)
            elif event.verdict != "breaking" and event.agent in begun:
                since = begun.pop(event.agent)
                found.append((event.agent, since, at, event.cause == "agent"))
        found += [(agent, since, self.ended, False) for agent, since in begun.items()]
        return [
            (agent, (until - since).total_seconds(), own) for agent, since, until, own in found if since >= self.since
        ]

    def stops(self) -> dict[str, list[tuple[datetime, datetime, timedelta]]]:
        """Agent → (from, to, how long another of its lock stood ready), cut to the period; one workflow a lock here."""
        told = [(one.fact.data, one) for one in self.facts if isinstance(one.fact.data, ChangeDecided)]
        heads = [one.fact.data for one in self.facts if isinstance(one.fact.data, LockfilePinned)]
        groups = [(event.workflow, {event.agent, *(each.agent for each in event.lockfile.fallback)}) for event in heads]
        actions: dict[tuple[str, str], list[tuple[datetime, str]]] = defaultdict(list)
        for event, _ in told:
            assert isinstance(event, ChangeDecided)
            actions[event.workflow, event.agent].append((datetime.fromisoformat(event.valid_from), event.action))
        found: dict[str, list[tuple[datetime, datetime, timedelta]]] = defaultdict(list)
        for (workflow, agent), said in list(actions.items()):
            others = {name for of, group in groups if of == workflow and agent in group for name in group} - {agent}
            ready = [span for name in others for span in _spans(actions[workflow, name], self.ended, stopped=False)]
            for begun, ended in _spans(said, self.ended, stopped=True):
                if ended > self.since:
                    begun = max(begun, self.since)  # noqa: PLW2901 — the period cuts it
                    found[agent].append((begun, ended, _covered(ready, begun, ended)))
        return found

    def needed(self) -> dict[str, tuple[timedelta, timedelta]]:
        """Agent → time in which its locks demanded evidence, claim by claim, and in which it was young enough."""
        found: dict[str, tuple[timedelta, timedelta]] = {}
        for stored in self.facts:
            pin = stored.fact.data
            if not isinstance(pin, LockfilePinned) or not pin.lockfile.evidence_max_age_s:
                continue
            begun, limit = max(stored.stored_at, self.since), timedelta(seconds=pin.lockfile.evidence_max_age_s)
            skills = pin.lockfile.requires.skills.items()
            claims = [("input-mode", skill, mode) for skill, need in skills for mode in need.input]
            claims += [("streaming", None, None)] if pin.lockfile.requires.streaming else []
            young = sum(
                (_covered(self._young(pin.agent, claim, limit), begun, self.ended) for claim in claims), timedelta()
            )
            found[pin.agent] = ((self.ended - begun) * len(claims), young)
        return found

    def _young(self, agent: str, claim: tuple[Any, ...], limit: timedelta) -> list[tuple[datetime, datetime]]:
        """When a claim was shown not longer ago than that, never contradicted since, by a card that claimed the same."""
        spans: list[tuple[datetime, datetime]] = []
        says: object = None
        for at, event in self._of.get(agent, ()):
            if isinstance(event, ProfileCompiled):
                kind, skill, mode = claim
                has = event.profile.skills.get(skill)
                now = event.profile.streaming if kind == "streaming" else has is not None and mode in has.input
                ends = says is not None and now != says
                says = now
            elif isinstance(event, ProbeRecorded | RuntimeErrorObserved):
                about = event.claim if isinstance(event, ProbeRecorded) else event.contradicts
                if about is None or (about.kind, about.skill, about.value) != claim:
                    continue
                if isinstance(event, ProbeRecorded) and event.outcome == "inconclusive":
                    continue
                ends = True
            if ends and spans:
                spans[-1] = (spans[-1][0], min(spans[-1][1], at))
            if isinstance(event, ProbeRecorded) and event.outcome == "held":
                spans.append((at, at + limit))
        return spans

    @cached_property
    def _of(self) -> dict[str, list[tuple[datetime, Any]]]:
        kinds = ProfileCompiled | ProbeRecorded | RuntimeErrorObserved
        found: dict[str, list[tuple[datetime, Any]]] = defaultdict(list)
        for stored in self.facts:
            if isinstance(event := stored.fact.data, kinds):
                found[event.agent].append((stored.stored_at, event))
        return found

    def delegated(self, agent: str, begun: datetime, ended: datetime) -> float | None:
        """How many calls there would have been at the rate of the thirty days before; None: none is known at all."""
        calls = [
            (datetime.fromisoformat(event.minute), event.calls)
            for event in (stored.fact.data for stored in self.facts)
            if isinstance(event, CallsCounted)
            and event.agent == agent
            and event.operation in {"SendMessage", "SendStreamingMessage"}
        ]
        since = max(begun - timedelta(days=30), self.facts[0].stored_at)
        if not calls or since >= begun:
            return None
        return sum(each for at, each in calls if since <= at < begun) * ((ended - begun) / (begun - since))

    def latencies(self, agent: str) -> list[int]:
        """Of usable answers, sorted."""
        return sorted(ms for at, ok, ms in self.looks[agent] if ok and at >= self.since)

    def call_median(self, agent: str, operation: str) -> float | None:
        """The median of the minutes' medians, each as often as it has calls."""
        calls = sorted(p50 for p50, often in self._minutes[agent, operation] for _ in range(often))
        return calls[(len(calls) - 1) // 2] if calls else None

    @cached_property
    def _minutes(self) -> dict[tuple[str, str], list[tuple[float, int]]]:
        found: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
        for event in (stored.fact.data for stored in self.facts):
            if (
                isinstance(event, CallsCounted)
                and event.p50_ms is not None
                and datetime.fromisoformat(event.minute) >= self.since
            ):
                found[event.agent, event.operation].append((event.p50_ms, event.calls))
        return found


def _spans(said: list[tuple[datetime, str]], ended: datetime, *, stopped: bool) -> list[tuple[datetime, datetime]]:
    """From when to when an agent was stopped, or was not."""
    found: list[tuple[datetime, datetime]] = []
    for place, (at, action) in enumerate(said):
        until = said[place + 1][0] if place + 1 < len(said) else ended
        if (action == "stop") != stopped:
            continue
        if found and found[-1][1] == at and stopped:
            found[-1] = (found[-1][0], until)
        else:
            found.append((at, until))
    return found


def _covered(spans: list[tuple[datetime, datetime]], begun: datetime, ended: datetime) -> timedelta:
    """How much of a time is under any of the spans."""
    whole, last = timedelta(), begun
    for start, end in sorted(spans):
        start, end = max(start, last), min(end, ended)  # noqa: PLW2901 — cut to the time
        if end > start:
            whole, last = whole + (end - start), end
    return whole
