import asyncio
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import AgentEvent, Stored
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved
from cardtrail.projections.as_of import as_of
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.projection import Rows
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_errors import QueryRefused
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.store_snapshot import newest
from cardtrail.projections.views import VIEWS, View
from tests.bench.generate import BIG, Generator
from tests.projections.driving import apply, drive, everything
from tests.projections.log import START, Log

COUNT = 200_000 if BIG else 4000
FACTS = list(Generator(500 if BIG else 30, seed=5).facts(COUNT))


async def filled(home: Path, facts: list[Stored]) -> Path:
    store = DuckStore(home, everything().tables)
    await drive(store, everything(), facts, [])
    await store.promote()
    await store.close()
    return newest(home)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(filled(tmp_path_factory.mktemp("store"), FACTS))


@pytest.fixture
def reader(snapshot: Path) -> Iterator[Reader]:
    with Reader(snapshot) as opened:
        yield opened


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_answers_with_the_columns_that_are_told_and_says_what_they_mean(view: View, reader: Reader) -> None:
    answer = reader.query(f"FROM {view.name}")
    assert answer.rows
    assert answer.columns == tuple(column.name for column in view.columns)
    assert len(set(answer.columns)) == len(answer.columns)
    assert reader.query("SELECT comment FROM duckdb_views() WHERE view_name = ?", [view.name]).rows == (
        (f"one row: {view.row}",),
    )
    silent = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND comment IS NULL"
    assert reader.query(silent, [view.name]).rows == ()


def test_history_is_the_log_fact_for_fact(reader: Reader) -> None:
    assert list(reader.facts()) == FACTS
    rows = reader.query("SELECT sequence, kind, agent, event FROM history ORDER BY sequence", rows=COUNT).rows
    assert [row[3].encode() for row in rows] == [stored.raw for stored in FACTS]
    assert [row[1] for row in rows] == [stored.fact.data.kind for stored in FACTS]


def test_observations_probes_errors_calls_and_decisions_are_what_the_log_says(reader: Reader) -> None:
    events = [stored.fact.data for stored in FACTS]
    refused = Counter(event.reason for event in events if isinstance(event, CardRefused))
    assert dict(reader.query("SELECT outcome, count(*) FROM observations WHERE NOT ok GROUP BY ALL").rows) == refused
    fetched = [event for event in events if isinstance(event, CardFetched)]
    assert reader.query("SELECT count(*), sum(latency_ms) FROM observations WHERE ok").rows == (
        (len(fetched), sum(event.latency_ms for event in fetched)),
    )
    probed = Counter(event.outcome for event in events if isinstance(event, ProbeRecorded))
    assert dict(reader.query("SELECT outcome, count(*) FROM probes GROUP BY ALL").rows) == probed
    calls = [event for event in events if isinstance(event, CallsCounted)]
    assert reader.query("SELECT sum(calls), sum(errors) FROM calls").rows == (
        (sum(event.calls for event in calls), sum(event.errors for event in calls)),
    )
    errors = [event for event in events if isinstance(event, RuntimeErrorObserved)]
    assert reader.query("SELECT count(*) FROM runtime_errors WHERE contradicts = 'streaming'").rows == ((len(errors),),)
    decided = Counter(
        (event.workflow, event.verdict, len(event.findings)) for event in events if isinstance(event, ChangeDecided)
    )
    told = reader.query("SELECT workflow, verdict, len(rules), count(*) FROM decisions GROUP BY ALL").rows
    assert {row[:3]: row[3] for row in told} == decided


def test_the_keyed_views_are_what_a_plain_fold_gives(reader: Reader) -> None:
    rows = apply(everything(), FACTS, Rows())
    agents = {
        row[0]: row[1:] for row in reader.query("SELECT agent, usable, version, last_success, trouble FROM agents").rows
    }
    for (_, agent), row in rows.table("freshness").items():
        profile = rows.get("current_profile", ("public", agent))
        usable, version = (profile["usable"], profile["identity"]["version"]) if profile else (None, None)
        heard = row["last_success"] and datetime.fromisoformat(row["last_success"]).replace(tzinfo=None)
        assert agents[agent] == (usable, version, heard, row["trouble"] and row["trouble"]["kind"])
    status = {
        row[:2]: row[2:] for row in reader.query("SELECT workflow, agent, verdict, action FROM lockfile_status").rows
    }
    kept = rows.table("lockfile_status")
    assert status == {key[1:]: (row["verdict"], row["action"]) for key, row in kept.items()}
    findings = reader.query("SELECT count(*) FROM open_findings").rows[0][0]
    assert findings == sum(len(row["findings"]) for row in kept.values())


def test_spans_of_one_capability_follow_each_other_without_overlap_and_meet_where_a_value_changed(
    reader: Reader,
) -> None:
    query = (
        "SELECT agent, capability, value, opened_from, first_seen, last_confirmed, ended_by, ending "
        "FROM capability_spans ORDER BY agent, capability, first_seen"
    )
    spans: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
    for row in reader.query(query, rows=100_000).rows:
        spans[row[:2]].append(row[2:])
    assert len(spans) > 300
    for held in spans.values():
        for (value, _, seen, confirmed, ended, ending), (after, begun, following, *_) in pairwise(held):
            assert ended is not None
            assert seen <= (confirmed or seen) <= ended <= following
            if ending == "changed":
                assert (ended, value != after) == (following, True)
                assert begun is None or begun <= following
        assert all(row[4] is not None for row in held[:-1])


def test_open_spans_are_the_profile_that_holds(reader: Reader) -> None:
    rows = apply(everything(), FACTS, Rows())
    query = "SELECT agent, value FROM capability_spans WHERE capability = 'streaming' AND ended_by IS NULL"
    told = dict(reader.query(query).rows)
    for (principal, agent), row in rows.table("current_profile").items():
        if rows.table("open_spans")[(principal, agent)]["state"] == "open":
            assert told[agent] == ("true" if row["profile"]["streaming"] else "false")


def test_availability_counts_time_observed_and_nothing_else(tmp_path: Path) -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p"}, interval_s=100)
    for at, up in ((0, True), (60, False), (90, True), (1000, True), (1010, True)):
        if up:
            log.tell(CardFetched(agent="pricing"), at=at)
        else:
            log.tell(CardRefused(agent="pricing", stage="connect", reason="timed-out"), at=at)
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        rows = opened.query("SELECT attempts, observed_s, available_s FROM availability").rows
    assert rows == ((5, 60 + 30 + 200 + 10, 60 + 200 + 10),)


def test_an_outage_lasts_until_a_card_comes_again_and_an_open_one_has_no_end(tmp_path: Path) -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p"}, interval_s=100)
    for at, up in ((0, True), (10, False), (20, False), (50, True), (60, False), (75, False), (90, False)):
        if up:
            log.tell(CardFetched(agent="pricing"), at=at)
        else:
            log.tell(CardRefused(agent="pricing", stage="connect", reason="timed-out"), at=at)
    log.tell(CardRefused(agent="pricing", stage="fetch", reason="proxy", fault="ours"), at=95)
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        rows = opened.query(
            "SELECT epoch(down_from), epoch(up_at), attempts, down_s FROM outages ORDER BY down_from"
        ).rows
    begun = START.timestamp()
    assert rows == ((begun + 10, begun + 50, 2, 40), (begun + 60, None, 3, 30))


def test_a_run_of_equal_answers_speaks_from_its_first_to_its_last_and_on(tmp_path: Path) -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p"}, interval_s=10)
    log.tell(CardFetched(agent="pricing"), at=0)
    first = (START + timedelta(seconds=10)).isoformat()
    log.tell(CardFetched(agent="pricing", same_as=2, checks=100, first_at=first), at=1000)
    log.tell(CardFetched(agent="pricing", same_as=2), at=1100)
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        assert opened.query("SELECT attempts, observed_s, available_s FROM availability").rows == ((102, 1020, 1020),)


def test_what_is_counted_is_counted_from_the_time_that_is_set(reader: Reader, snapshot: Path) -> None:
    middle = FACTS[2000].stored_at
    whole = reader.query("SELECT sum(answers)::INTEGER FROM latency").rows[0][0]
    with Reader(snapshot) as later:
        later.count_from(middle)
        part = later.query("SELECT sum(answers)::INTEGER FROM latency").rows[0][0]
        assert (
            later.query("SELECT count(*) FROM observations").rows
            == reader.query("SELECT count(*) FROM observations").rows
        )
    wanted = [stored for stored in FACTS if isinstance(stored.fact.data, CardFetched) and stored.fact.time >= middle]
    assert (part, part < whole) == (len(wanted), True)


def test_wilson_and_poisson_bounds_are_the_textbook_ones(reader: Reader) -> None:
    ((low, high, none_low, none_high),) = reader.query(
        "SELECT wilson_low(20, 20), wilson_high(20, 20), wilson_low(0, 3), wilson_high(0, 3)"
    ).rows
    assert (round(low, 2), high, round(none_low, 9), round(none_high, 2)) == (0.84, 1.0, 0.0, 0.56)
    for held, tried in ((7, 9), (1, 30), (15, 15)):
        z = statistics.NormalDist().inv_cdf(0.975)
        share = held / tried
        centre = (share + z * z / (2 * tried)) / (1 + z * z / tried)
        half = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried)) / (1 + z * z / tried)
        ((low, high),) = reader.query("SELECT wilson_low(?, ?), wilson_high(?, ?)", [held, tried, held, tried]).rows
        assert (low, high) == (pytest.approx(centre - half, abs=1e-4), pytest.approx(centre + half, abs=1e-4))
    ((low, high, none),) = reader.query("SELECT poisson_low(10), poisson_high(10), poisson_high(0)").rows
    assert (low, high, none) == (
        pytest.approx(4.80, abs=0.02),
        pytest.approx(18.39, abs=0.02),
        pytest.approx(3.689, abs=0.001),
    )


def test_repeats_of_a_claim_on_one_day_count_once_and_one_contradiction_makes_the_day(tmp_path: Path) -> None:
    log, day = Log(), 86_400
    log.say("agent-tracked", target={"kind": "domain", "value": "p"}, provider="Acme")
    for at, outcome in ((1, "held"), (2, "held"), (3, "contradicted"), (day, "held"), (2 * day, "inconclusive")):
        claim = {"kind": "streaming"}
        told = ProbeRecorded.model_validate(
            {"agent": "pricing", "probe": "p", "claim": claim, "outcome": outcome, "profile_digest": "p"}
        )
        log.tell(told, at=at)
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        query = "SELECT provider, held, contradicted, inconclusive, share FROM claim_accuracy"
        assert opened.query(query).rows == (("Acme", 1, 1, 1, 0.5),)


def test_late_observations_are_in_the_history_and_flagged(tmp_path: Path) -> None:
    log = Log()
    log.tell(CardFetched(agent="pricing"), at=0.9)
    log.tell(CardFetched(agent="pricing"), at=0.5)
    log.tell(CardFetched(agent="pricing"), at=2.5)
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        assert opened.query("SELECT late FROM observations ORDER BY sequence").rows == ((False,), (True,), (False,))


def test_known_at_follows_the_latest_stored_time_though_the_clock_steps_back(tmp_path: Path) -> None:
    log = Log()
    for at in (0, 100, 40, 60, 200):
        stored = log.tell(CardFetched(agent="pricing"))
        log.facts[-1] = stored.model_copy(update={"stored_at": START + timedelta(seconds=at)})
    snapshot = asyncio.run(filled(tmp_path, log.facts))
    with Reader(snapshot) as opened:
        known = [opened.known_at(START + timedelta(seconds=at)) for at in (-1, 0, 50, 100, 150, 200)]
    assert known == [None, 1, 1, 4, 4, 5]


def test_what_was_known_of_one_agent_is_its_facts_folded_so_far(reader: Reader) -> None:
    agent, through = "agent-3.example", 2500
    known = as_of(reader.facts(agent, through=through), CurrentProfile(), through)
    whole = apply(CurrentProfile(), FACTS[:through], Rows())
    assert known.table("freshness") == {("public", agent): whole.get("freshness", ("public", agent))}
    assert as_of(iter(FACTS), CurrentProfile(), through).table("evidence") == whole.table("evidence")
    assert all(
        stored.fact.data.agent == agent for stored in reader.facts(agent) if isinstance(stored.fact.data, AgentEvent)
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY history TO '/tmp/out.csv'",
        "ATTACH 'other.duckdb'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "LOAD httpfs",
        "DROP TABLE history",
        "UPDATE position SET through = 0",
        "SELECT * FROM nowhere",
        "SELECT 1; SELECT * FROM 'https://h.example/x.parquet'",
        "not sql at all",
    ],
)
def test_sql_reaches_no_file_no_network_and_changes_nothing(reader: Reader, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        reader.query(sql)
    assert refused.value.code == "query-refused"
    assert "\n" not in refused.value.message
    assert reader.through == COUNT


@pytest.mark.parametrize(
    "sql",
    [
        *("USE memory; DETACH archive", "ATTACH ':memory:' AS other", "EXPORT DATABASE 'x'", "LOAD httpfs", "BEGIN"),
        *("COPY (SELECT 1) TO 'x'", "EXPLAIN ANALYZE COPY (SELECT 1) TO 'x'", "EXPLAIN (FORMAT json) DETACH archive"),
        *("PREPARE p AS SELECT 1", "EXECUTE p", "CALL pragma_version()", "PRAGMA database_list", "CHECKPOINT"),
        *("DELETE FROM history", "SELECT 1; DROP VIEW agents", "EXPLAIN EXPLAIN DETACH archive"),
    ],
)
def test_a_statement_that_does_more_than_ask_is_refused_before_any_is_run(
    reader: Reader, snapshot: Path, sql: str
) -> None:
    before = snapshot.read_bytes()
    with pytest.raises(QueryRefused) as refused:
        reader.query(f"CREATE TEMP TABLE made AS SELECT 1; {sql}")
    assert refused.value.code == "query-refused"
    assert snapshot.read_bytes() == before
    with pytest.raises(QueryRefused):
        reader.query("FROM made")


@pytest.mark.parametrize(
    "sql",
    [
        *("DESCRIBE agents", "SHOW TABLES", "SUMMARIZE agents", "WITH a AS (SELECT 1) FROM a", "VALUES (1)"),
        *("EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "explain (format json) FROM agents", "TABLE agents"),
        "SET VARIABLE least = 3; SELECT getvariable('least')",
        "USE memory; CREATE TABLE t AS FROM archive.agents; INSERT INTO t FROM archive.agents; SELECT count(*) FROM t",
        "PIVOT (SELECT kind, 1 AS n FROM history) ON kind USING sum(n)",
    ],
)
def test_what_asks_and_what_is_made_in_memory_is_answered(snapshot: Path, sql: str) -> None:
    with Reader(snapshot) as opened:
        assert opened.query(sql).rows


def test_a_question_without_end_is_given_up(reader: Reader) -> None:
    with pytest.raises(QueryRefused) as refused:
        reader.query("SELECT count(*) FROM range(1000000000) a, range(1000000000) b", seconds=0.3)
    assert refused.value.code == "query-too-long"
    assert reader.query("SELECT 1").rows == ((1,),)


def test_rows_beyond_the_limit_are_left_out_and_said_to_be(reader: Reader) -> None:
    answer = reader.query("SELECT sequence FROM history", rows=10)
    assert (len(answer.rows), answer.more) == (10, True)


def test_rows_written_as_parquet_are_those_of_the_query_and_the_same_bytes_twice(
    snapshot: Path, tmp_path: Path
) -> None:
    for name in ("a.parquet", "b.parquet"):
        with Reader(snapshot, target=tmp_path / name) as opened:
            assert opened.write("FROM history ORDER BY sequence -- all of it") == COUNT
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    found = duckdb.read_parquet(str(tmp_path / "a.parquet")).aggregate("max(sequence), min(stored_at)").fetchall()
    assert found == [(COUNT, FACTS[0].stored_at.astimezone(UTC).replace(tzinfo=None))]


def test_a_reader_writes_its_target_and_no_other_file(snapshot: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.parquet"
    with Reader(snapshot, target=tmp_path / "a.parquet") as opened:
        for sql in (
            f"COPY history TO '{elsewhere}'",
            f"SELECT 1) TO '{elsewhere}' --",
            "FROM nowhere",
            "SELECT 1; BEGIN",
            "",
        ):
            with pytest.raises(QueryRefused):
                opened.write(sql)
        with pytest.raises(QueryRefused) as refused:
            opened.write("SELECT count(*) FROM range(1000000000) a, range(1000000000) b", seconds=0.3)
    assert refused.value.code == "query-too-long"
    assert not elsewhere.exists()
    with Reader(snapshot) as opened, pytest.raises(QueryRefused):
        opened.write("FROM history")


@pytest.mark.parametrize("seconds", [1e-9, 0.001])
def test_a_time_that_is_over_before_the_query_begins_ends_it_too(reader: Reader, seconds: float) -> None:
    with pytest.raises(QueryRefused) as refused:
        reader.query("SELECT count(*) FROM range(1000000000) a, range(1000000000) b", seconds=seconds)
    assert refused.value.code == "query-too-long"


def test_a_question_that_needs_too_much_memory_is_refused_and_the_next_is_answered(reader: Reader) -> None:
    with pytest.raises(QueryRefused) as refused:
        reader.query("SELECT list(range) FROM range(50000000)")
    assert (refused.value.code, bool(refused.value.hint)) == ("query-too-large", True)
    assert reader.query("SELECT 1").rows == ((1,),)


def test_a_refusal_says_what_may_have_been_meant(reader: Reader) -> None:
    with pytest.raises(QueryRefused) as table:
        reader.query("FROM agent")
    with pytest.raises(QueryRefused) as column:
        reader.query("SELECT verdikt FROM decisions")
    assert '"agents"' in table.value.hint
    assert '"verdict"' in column.value.hint
    assert "LINE 1" in column.value.message


def test_whole_answers_that_brought_nothing_new_are_counted_with_their_bytes(tmp_path: Path) -> None:
    log = Log()
    etag = {"size": 1200, "raw_digest": "a", "validators": {"etag": '"1"'}}
    for agent, members in (("lists", etag), ("heeds", etag), ("plain", {"size": 900, "raw_digest": "a"})):
        log.say("agent-tracked", agent, target={"kind": "domain", "value": f"{agent}.example"}, interval_s=10)
        card = log.say("card-fetched", agent, **members).sequence
        short = {"same_as": card, "status": 304} if agent == "heeds" else {"same_as": card}
        log.say("card-fetched", agent, **short)
        log.say("card-fetched", agent, **short, checks=3, first_at="2026-11-30T08:00:02Z")
        log.say("card-refused", agent, stage="fetch", reason="timeout")
    log.say("card-fetched", "plain", size=1000, raw_digest="b")
    with Reader(asyncio.run(filled(tmp_path, log.facts))) as opened:
        asked = (
            "SELECT agent, answers, not_modified, repeated, repeated_bytes, validators FROM transfers ORDER BY agent"
        )
        assert opened.query(asked).rows == (
            ("heeds", 5, 4, 0, 0, True),
            ("lists", 5, 0, 4, 4800, True),
            ("plain", 6, 0, 4, 3600, False),
        )
        opened.count_from(log.facts[-2].fact.time)
        assert opened.query(asked).rows == (("plain", 1, 0, 0, 0, False),)
