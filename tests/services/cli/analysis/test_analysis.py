"""The commands of an analyst on an archive without a tracker: answers, formats, refusals, and reports that repeat."""

import asyncio
import csv
import io
import json
import resource
from datetime import date
from pathlib import Path

import duckdb
import pytest
from jsonschema import Draft202012Validator

from cardtrail.events import Stored
from cardtrail.services.archive import home
from cardtrail.services.cli.catalogue.schemas import schemas
from tests.projections.log import Log
from tests.services.cli.program import Done, cardtrail, child
from tests.services.report.world import HOSTILE, stored, world

FACTS = world(days=40, hostile=True)
AWAY = {"NATS_URL": "nats://127.0.0.1:1"}


def archived(data: Path, facts: list[Stored]) -> Path:
    asyncio.run(stored(home(data), facts))
    return data


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracker's folder."""
    return archived(tmp_path_factory.mktemp("data"), FACTS)


@pytest.fixture
def desk(data: Path, tmp_path: Path) -> "Desk":
    return Desk(data, tmp_path)


class Desk:
    def __init__(self, data: Path, folder: Path) -> None:
        self.data, self.folder = data, folder

    def say(self, *words: str, code: int = 0, stdin: bytes = b"") -> Done:
        done = cardtrail(*words, stdin=stdin, cwd=self.folder, CARDTRAIL_DATA=str(self.data), **AWAY)
        assert done.code == code, done
        return done


def spent() -> float:
    """Seconds of the processor that programs started here have had: how busy it is with others does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(
    ("sql", "seconds", "code"),
    [
        ("SELECT list_sum(range(1000000000))", 60, "query-too-large"),
        ("SELECT length(repeat('x', 4000000000))", 60, "query-too-large"),
        ("SELECT jaro_winkler_similarity(repeat('ab', 3000000), repeat('ba', 3000000))", 1, "query-too-long"),
    ],
)
def test_one_call_that_the_database_does_not_bound_is_bounded_all_the_same(
    data: Path, tmp_path: Path, sql: str, seconds: float, code: str
) -> None:
    environ = {"CARDTRAIL_DATA": str(data), "TMPDIR": str(tmp_path), **AWAY}
    before = spent()
    done = child("sql", sql, "--seconds", str(seconds), "--json", **environ)
    assert (done.code, done.json["error"]["code"]) == (3, code)
    assert spent() - before < 40, "the last of them takes eighty seconds where nothing ends it"
    assert list(tmp_path.iterdir()) == []


def test_a_query_is_typed_piped_or_in_a_file(desk: Desk) -> None:
    (desk.folder / "n.sql").write_text("\ufeffSELECT count(*) AS n FROM history -- all\n", "utf-8")
    told = [
        desk.say("sql", "SELECT count(*) AS n FROM history").out,
        desk.say("sql", "-", stdin=b"SELECT count(*) AS n FROM history").out,
        desk.say("sql", "--file", "n.sql").out,
    ]
    assert told == [f"n\n{len(FACTS)}\n"] * 3
    for words in ([], ["SELECT 1", "--file", "n.sql"], ["--file", "nowhere.sql"]):
        assert desk.say("sql", *words, "--json", code=2).json["error"]["code"] in {
            "argument-missing",
            "file-unreadable",
        }


def test_values_of_every_kind_are_told_in_every_format(desk: Desk) -> None:
    sql = """SELECT 1 AS n, NULL AS nothing, 1.5::DECIMAL(3,1) AS d, 'nan'::DOUBLE AS nan, TIMESTAMP '2026-10-01 08:00:00' AS at,
             DATE '2026-10-01' AS day, [1, NULL] AS list, {'a': TRUE} AS struct, MAP {'k': 2} AS map, 'ab'::BLOB AS bytes,
             '00000000-0000-0000-0000-000000000001'::UUID AS id, INTERVAL 1 DAY AS span, 'x' AS n"""
    document = desk.say("sql", sql, "--json").json
    Draft202012Validator(schemas()["sql"]()).validate(document)
    (row,) = document["rows"]
    assert row == {
        "n": 1,
        "nothing": None,
        "d": "1.5",
        "nan": None,
        "at": "2026-10-01T08:00:00.000Z",
        "day": "2026-10-01",
        "list": [1, None],
        "struct": {"a": True},
        "map": {"k": 2},
        "bytes": "6162",
        "id": "00000000-0000-0000-0000-000000000001",
        "span": "1 day, 0:00:00",
        "n:1": "x",
    }
    (listed,) = list(csv.reader(io.StringIO(desk.say("sql", sql, "--format", "csv").out)))[1:]
    assert listed[:3] == ["1", "", "1.5"]
    assert json.loads(listed[6]) == [1, None]
    assert desk.say("sql", sql).out.splitlines()[1].split("\t")[:3] == ["1", "-", "1.5"]


def test_more_rows_than_are_wanted_are_said_to_be_missing(desk: Desk) -> None:
    done = desk.say("sql", "SELECT sequence FROM history ORDER BY 1", "--rows", "2")
    assert done.out == "sequence\n1\n2\n"
    assert "more than 2 rows" in done.err
    assert desk.say("sql", "FROM history", "--rows", "2", "--json").json["more"] is True


def test_hostile_text_reaches_no_terminal(desk: Desk) -> None:
    for format_ in ("table", "csv", "json"):
        told = desk.say(
            "sql",
            "SELECT name, detail FROM (SELECT event->>'$.data.identity.name' AS name, detail FROM history)",
            "--format",
            format_,
        )
        assert HOSTILE[:8] in told.out
        assert not set(told.out) & {"\u202e", "\x1b"}


def test_an_answer_goes_to_a_file_whole_or_not_at_all(desk: Desk) -> None:
    desk.say("sql", "SELECT 7 AS n", "--format", "csv", "-o", "out/n.csv")
    assert (desk.folder / "out/n.csv").read_text() == "n\n7\n"
    told = desk.say(
        "sql", "FROM changes ORDER BY sequence", "--format", "parquet", "-o", "out/c.parquet", "--json"
    ).json
    Draft202012Validator(schemas()["sql"]()).validate(told)
    assert duckdb.read_parquet(str(desk.folder / "out/c.parquet")).shape[0] == told["rows"] > 0
    before = (desk.folder / "out/c.parquet").read_bytes()
    desk.say("sql", "FROM nowhere", "--format", "parquet", "-o", "out/c.parquet", code=3)
    assert (desk.folder / "out/c.parquet").read_bytes() == before
    assert sorted(path.name for path in (desk.folder / "out").iterdir()) == ["c.parquet", "n.csv"]
    assert (
        desk.say("sql", "SELECT 1", "--format", "parquet", "--json", code=2).json["error"]["code"] == "argument-missing"
    )
    (desk.folder / "plain").write_text("")
    for format_ in ("csv", "parquet"):
        words = ["sql", "SELECT 1 AS n", "--format", format_, "-o", "plain/n", "--json"]
        assert desk.say(*words, code=2).json["error"]["code"] == "output-unwritable"


def test_views_are_listed_without_any_archive(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "none", tmp_path)
    document = desk.say("sql", "--views", "--json").json
    Draft202012Validator(schemas()["sql"]()).validate(document)
    assert {"history", "agents", "provider_reliability"} <= {view["name"] for view in document["views"]}
    (one,) = desk.say("sql", "--views", "latency", "--json").json["views"]
    assert [column["unit"] for column in one["columns"]] == ["", "", "", "", "ms", "ms", "ms"]
    refused = desk.say("sql", "--views", "latencies", "--json", code=2).json["error"]
    assert (refused["code"], refused["hint"]) == ("view-unknown", "did you mean latency?")
    assert desk.say("sql", "SELECT 1", "--json", code=4).json["error"]["code"] == "store-empty"
    assert not (tmp_path / "none").exists()


def test_since_counts_back_from_the_last_fact_not_from_today(desk: Desk) -> None:
    ended = FACTS[-1].stored_at
    query = "SELECT min(day)::VARCHAR AS day FROM availability"
    (row,) = desk.say("sql", query, "--since", "10d", "--json").json["rows"]
    assert (ended.date() - date.fromisoformat(row["day"])).days == 10
    assert desk.say("sql", query, "--since", "yesterday", "--json", code=2).json["error"]["code"] == "option-value"


def test_a_report_is_the_same_twice_and_the_same_again_from_a_longer_log(desk: Desk, tmp_path: Path) -> None:
    desk.say("report", "-o", "one.html", "--markdown", "one.md")
    desk.say("report", "-o", "two.html", "--markdown", "two.md")
    assert (desk.folder / "one.html").read_bytes() == (desk.folder / "two.html").read_bytes()
    assert (desk.folder / "one.md").read_bytes() == (desk.folder / "two.md").read_bytes()
    assert desk.say("report", "-o", "three.html").err.splitlines()[-1].endswith(" -o three.html")
    early = FACTS[: len(FACTS) // 2]
    then = Desk(archived(tmp_path / "then", early), desk.folder)
    told = then.say("report", "--since", "12d", "-o", "then.html", "--json").json
    words = told["command"].removeprefix("cardtrail ").replace("report.html", "again.html").split()
    assert words[-4:-2] == ["--through", str(len(early))]
    again = desk.say(*words, "--json").json
    assert again == told
    assert (desk.folder / "again.html").read_bytes() == (desk.folder / "then.html").read_bytes()


def test_a_report_as_json_is_what_its_schema_says_and_as_text_three_sentences(desk: Desk) -> None:
    document = desk.say("report", "--json").json
    Draft202012Validator(schemas()["report"]()).validate(document)
    told = desk.say("report")
    assert len(told.out.splitlines()) == 3
    assert "again: cardtrail report" in told.err
    for words, code in ((["--provider", "nobody"], "provider-unknown"), (["--since", "2099-01-01"], "since-future")):
        assert desk.say("report", *words, "--json", code=2).json["error"]["code"] == code
    beyond = desk.say("report", "--through", str(len(FACTS) + 1), "--json", code=2)
    assert beyond.json["error"]["code"] == "through-unknown"


def test_an_archive_is_written_once_and_then_only_what_is_new(desk: Desk) -> None:
    first, second = (desk.say("archive", "-o", "facts", "--json").json for _ in range(2))
    Draft202012Validator(schemas()["archive"]()).validate(first)
    assert (first["facts"], first["written"], second["written"]) == (len(FACTS), first["files"], 0)
    (desk.folder / "plain").write_text("")
    assert desk.say("archive", "-o", "plain/facts", "--json", code=2).json["error"]["code"] == "output-unwritable"


@pytest.mark.parametrize("kept", [0, 200_000])
def test_a_damaged_snapshot_is_made_anew_and_the_question_answered(kept: int, tmp_path: Path) -> None:
    desk = Desk(archived(tmp_path / "data", FACTS[:400]), tmp_path)
    (snapshot,) = home(desk.data).glob("snapshot-*.duckdb")
    snapshot.write_bytes(snapshot.read_bytes()[:kept])
    assert desk.say("sql", "SELECT count(*) AS n, count(event) AS e FROM history").out.split() == [
        "n",
        "e",
        "400",
        "400",
    ]
    snapshot.write_bytes(snapshot.read_bytes()[:kept])
    assert desk.say("report", "--json").json["facts"] == 400
    snapshot.write_bytes(snapshot.read_bytes()[:kept])
    desk.say("sql", "FROM history", "--format", "parquet", "-o", "h.parquet")
    assert duckdb.read_parquet(str(tmp_path / "h.parquet")).shape[0] == 400
    for write in (b"", snapshot.read_bytes()[:kept], b"\x00noise" * 50_000):
        snapshot.write_bytes(write)
        assert desk.say("archive", "-o", f"facts-{len(write)}", "--json").json["facts"] == 400
        files = str(tmp_path / f"facts-{len(write)}" / "history/*/*/*.parquet")
        assert duckdb.read_parquet(files).shape[0] == 400


def test_what_nobody_watches_any_more_is_neither_up_nor_down(tmp_path: Path) -> None:
    log = Log()
    for agent in ("gone", "kept"):
        log.say("agent-tracked", agent, target={"kind": "domain", "value": f"{agent}.example"})
    for agent in ("gone", "kept"):
        log.say("card-refused", agent, stage="connect", reason="timed-out", fault="network")
    log.say("agent-untracked", "gone")
    for _ in range(5):
        log.say("agent-untracked", "another")
    desk = Desk(archived(tmp_path / "data", log.facts), tmp_path)
    rows = desk.say("sql", "SELECT agent, observed_s FROM availability ORDER BY ALL", "--json").json["rows"]
    assert [tuple(row.values()) for row in rows] == [("gone", 2), ("kept", 6)]
    rows = desk.say("sql", "SELECT agent, down_s, up_at IS NULL AS down FROM outages ORDER BY ALL", "--json").json[
        "rows"
    ]
    assert [tuple(row.values()) for row in rows] == [("gone", 2, False), ("kept", 6, True)]
