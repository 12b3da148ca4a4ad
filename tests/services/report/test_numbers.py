"""Every number of the report beside a plain fold of the same log; CARDTRAIL_BIG=1 takes 200,000 facts about 500 agents."""

import asyncio
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from math import ceil
from pathlib import Path

import pytest

from cardtrail.events import Stored
from cardtrail.projections.intervals import poisson, wilson
from cardtrail.projections.store_reader import Reader
from cardtrail.services.report.build import build
from cardtrail.services.report.report import Report
from tests.bench.generate import BIG, Generator
from tests.services.report.plain_fold import Told
from tests.services.report.world import stored, world

LOGS = {
    "a season": world,
    "a generated log": lambda: list(
        (Generator(500, seed=5, step=40) if BIG else Generator(24, seed=5, step=900)).facts(200_000 if BIG else 5_000)
    ),
}
Both = tuple[Report, Told]


@pytest.fixture(scope="module", params=[(name, part) for name in LOGS for part in (None, 1 / 3)], ids=str)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The report, of all of the log or of what is behind a third of it, and the plain fold of the same."""
    name, part = request.param
    facts = LOGS[name]()
    since = facts[0].stored_at + part * (facts[-1].stored_at - facts[0].stored_at) if part else None
    return report(tmp_path_factory.mktemp("store"), facts, since), Told(facts, since or facts[0].stored_at)


def report(home: Path, facts: list[Stored], since: datetime | None = None) -> Report:
    snapshot = asyncio.run(stored(home, facts))
    with Reader(snapshot, memory_mb=1024) as reader:
        return build(reader, provider="", principal="public", since=since, release="1")


def test_availability_is_time_observed_and_time_up(both: Both) -> None:
    told, plain = both
    lines = [line for line in told.availability if line.agent]
    assert {line.agent for line in lines} == set(plain.looks)
    for line in lines:
        assert (line.observed_s, line.available_s) == plain.availability(line.agent)
        assert line.share == (pytest.approx(line.available_s / line.observed_s, abs=1e-6) if line.observed_s else None)
        outages = plain.outages(line.agent)
        assert (line.outages, line.longest_s) == (len(outages), max((length for length, _ in outages), default=0))
        assert line.down == any(not over for _, over in outages)
        if line.share is not None and line.low is not None and line.high is not None:
            assert line.low <= line.share <= line.high


def test_claims_are_counted_by_days_and_bounded_by_wilson(both: Both) -> None:
    told, plain = both
    days = plain.claim_days()
    lines = [line for line in told.claims if line.agent and line.claim]
    assert {(line.agent, line.claim) for line in lines} == set(days)
    for line in lines:
        counted = days[line.agent, line.claim]
        assert (line.kept.held, line.kept.tried - line.kept.held) == (counted["held"], counted["contradicted"])
        assert line.inconclusive == counted["inconclusive"]
        if line.kept.tried:
            assert (line.kept.low, line.kept.high) == pytest.approx(wilson(line.kept.held, line.kept.tried), abs=1e-6)
        assert line.kept.few == (line.kept.tried < 10)


def test_a_provider_is_the_mean_of_its_agents(both: Both) -> None:
    told, plain = both
    shares: dict[str, list[float]] = defaultdict(list)
    for line in told.claims:
        if line.agent and not line.claim and line.kept.share is not None:
            shares[line.provider].append(line.kept.share)
    for provider in told.providers:
        held = shares[provider.provider]
        assert provider.kept.share == (pytest.approx(sum(held) / len(held), abs=1e-5) if held else None)
    assert sum(one.agents for one in told.providers) == len(plain.looks)
    places = [one.rank for one in told.providers if one.rank is not None]
    assert places == sorted(places)
    assert all(one.kept.few for one in told.providers if one.rank is None)


def test_error_rates_are_contradicting_errors_by_calls(both: Both) -> None:
    told, plain = both
    found = plain.errors()
    lines = [line for line in told.errors if line.agent]
    assert {(line.agent, line.operation) for line in lines} == set(found)
    for line in lines:
        calls, bad, every = found[line.agent, line.operation]
        assert (line.contradicting, line.errors) == (bad, every)
        if calls:
            assert line.rate is not None
            assert (line.rate.held, line.rate.tried) == (min(bad, calls), calls)
            assert (line.rate.low, line.rate.high) == pytest.approx(wilson(min(bad, calls), calls), abs=1e-6)
        else:
            assert line.rate is None


def test_changes_and_breaks_are_distinct_and_their_rates_exact_poisson(both: Both) -> None:
    told, plain = both
    changes, breaks = plain.changes, plain.breaks()
    for line in (line for line in told.changes if line.agent):
        seen = [(at, sides) for at, sides, _, _ in changes[line.agent] if at >= plain.since]
        assert line.changes.count == len({sides for _, sides in seen})
        assert line.breaks.count == len(breaks[line.agent])
        looks = [at for at, _, _ in plain.looks[line.agent]]
        watched = max((looks[-1] - max(looks[0], plain.since)).total_seconds(), 0)
        assert line.changes.days == pytest.approx(int(watched) / 86_400, abs=1e-6)
        if watched < 86_400:
            assert (line.changes.per_30_days, line.changes.low, line.changes.high) == (None, None, None)
        else:
            low, high = (30 * end / line.changes.days for end in poisson(line.changes.count))
            assert (line.changes.low, line.changes.high) == pytest.approx((low, high), rel=1e-4, abs=1e-6)
    weeks: Counter[str] = Counter()
    for held in changes.values():
        weeks.update((at.date() - timedelta(days=at.weekday())).isoformat() for at, *_ in held if at >= plain.since)
    drawn: Counter[str] = Counter()
    for point in told.weeks:
        drawn[point.week] += point.changes
    assert drawn == weeks


def test_detection_is_the_width_of_the_window(both: Both) -> None:
    told, plain = both
    for line in (line for line in told.detection if line.agent):
        widths = sorted(
            int(window.total_seconds())
            for at, _, _, window in plain.changes[line.agent]
            if at >= plain.since and window
        )
        assert line.changes == len(widths)
        assert line.median_s == widths[ceil(len(widths) / 2) - 1]
        assert line.p95_s == widths[ceil(0.95 * len(widths)) - 1]


def test_recoveries_are_the_times_from_broken_to_satisfied(both: Both) -> None:
    told, plain = both
    found = plain.recoveries()
    lines = {line.agent: line for line in told.recovery if line.agent}
    assert {agent for agent, _, _ in found} == set(lines)
    for agent, line in lines.items():
        mine = [(length, own) for name, length, own in found if name == agent]
        assert (line.breaks, line.standing) == (len(mine), sum(not own for _, own in mine))
    assert {point.at_s for point in told.curve} == {length for _, length, own in found if own}


def test_stops_cost_time_in_which_another_agent_did_or_did_not_stand_ready(both: Both) -> None:
    told, plain = both
    found = plain.stops()
    lines = {line.agent: line for line in told.cost if line.agent}
    assert set(lines) == {agent for agent, held in found.items() if held}
    for agent, line in lines.items():
        mine = found[agent]
        assert line.stops == len(mine)
        assert line.stopped_s == pytest.approx(sum((end - at).total_seconds() for at, end, _ in mine), abs=1)
        assert line.at_hand_s == pytest.approx(sum(ready.total_seconds() for *_, ready in mine), abs=1)
        missed = [each for at, end, _ in mine if (each := plain.delegated(agent, at, end)) is not None]
        assert line.delegations == (pytest.approx(sum(missed), abs=1e-5) if missed else None)
        if line.delegations is not None:
            assert line.low is not None
            assert line.high is not None
            assert line.low <= line.delegations <= line.high


def test_needed_claims_are_verified_in_time_while_their_evidence_is_young(both: Both) -> None:
    told, plain = both
    found = plain.needed()
    lines = {line.agent: line for line in told.evidence if line.agent and line.demanded_s}
    assert set(lines) == set(found)
    assert any(line.verified_s for line in lines.values())
    for agent, line in lines.items():
        demanded, young = found[agent]
        assert line.demanded_s == pytest.approx(demanded.total_seconds(), abs=1)
        assert line.verified_s == pytest.approx(young.total_seconds(), abs=1)
        assert 0 <= line.verified <= line.claims


def test_latencies_are_quantiles_of_answers(both: Both) -> None:
    told, plain = both
    for line in told.latency:
        if line.operation:
            assert line.p50_ms == plain.call_median(line.agent, line.operation)
            continue
        found = plain.latencies(line.agent)
        assert line.cases == len(found)
        assert (line.p50_ms, line.p95_ms) == tuple(found[ceil(share * len(found)) - 1] for share in (0.5, 0.95))
        assert line.few == (len(found) < 20)
