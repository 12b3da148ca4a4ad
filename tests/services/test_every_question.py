"""Every question an auditor or analyst asks, put to a generated log on a real broker, each answer beside a plain fold of it.

CARDTRAIL_BIG=1 takes 200,000 facts about 500 agents; the numbers of the report stand in `report/test_numbers.py`.
"""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import AgentEvent, ChangeDecided, ProfileCompiled, Stored
from cardtrail.events.fact import instant
from cardtrail.events.subjects import subject
from cardtrail.projections.capabilities import capabilities
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.pouring import Marks, Poured, pour
from cardtrail.services.bus.streams import Sizes
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.merkle import Frontier, leaf_hash, node_hash
from cardtrail.services.ledger.sparse import Sparse
from tests.bench.generate import BIG, Generator
from tests.nats_server import server
from tests.services.audit.plain_fold import about, plain_root, values
from tests.services.cli.program import cardtrail

COUNT, AGENTS = (200_000, 500) if BIG else (4_000, 24)
ROOM = Sizes(facts=2 << 30, bodies=64 << 20, reports=16 << 20)
NAMES = ("skills.skill-0.input", "version", "streaming")


@cache
def log() -> list[Stored]:
    return list(Generator(AGENTS, seed=9, step=20).facts(COUNT))


@cache
def of(agent: str) -> list[Stored]:
    return about(log(), agent)


@cache
def asked_about() -> list[str]:
    """A few agents, pinned ones among them."""
    names = [f"agent-{number}.example" for number in range(AGENTS)]
    return names[:: max(AGENTS // 5, 1)][:5] + names[3:4]


class Desk:
    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def ask(self, *words: str, code: int = 0) -> Any:
        environ = {"NATS_URL": self.url, "CARDTRAIL_DATA": str(self.folder / "data")}
        done = cardtrail(*words, "--json", cwd=self.folder, **environ)
        assert done.code == code, done
        return done.json


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The log on a broker, every projection grown from it, nothing else at work."""
    folder = tmp_path_factory.mktemp("desk")
    with server() as running:
        asyncio.run(poured(running.url))
        made = Desk(running.url, folder)
        repaired = made.ask("replay", "--repair")
        assert all(one["facts"] == COUNT for one in repaired["results"])
        assert {one["kept_in"] for one in repaired["results"]} == {"kv", "duckdb"}
        yield made


async def poured(url: str) -> None:
    async with Bus(url, streams=ROOM) as bus:
        facts = (
            Poured(one.sequence, int(one.stored_at.timestamp()) * 10**9 + one.stored_at.microsecond * 1000,
                   subject(one.fact.data), one.raw)
            for one in log()
        )  # fmt: skip
        assert await pour(bus, ROOM, facts, Marks("sha256:generated", 1, COUNT)) == COUNT


@pytest.mark.parametrize("agent", asked_about())
def test_history_is_every_fact_of_the_agent(desk: Desk, agent: str) -> None:
    told = desk.ask("history", agent, "--all")
    assert told["facts"] == len(of(agent))
    seen = sorted(fact["sequence"] for entry in told["entries"] for fact in entry["facts"])
    assert seen == [one.sequence for one in of(agent)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("agent", asked_about())
def test_blame_names_each_value_its_window_and_the_fact_that_brought_it(desk: Desk, agent: str, name: str) -> None:
    told = desk.ask("blame", agent, name)["values"]
    expected = values(of(agent), agent, name)
    assert [(one["sequence"], one["after"], one["first_seen"]) for one in told] == [
        (one.sequence, one.after, one.first_seen) for one in expected
    ]
    assert [one["value"] if one["state"] == "held" else None for one in told] == [one.value for one in expected]
    assert [[each["sequence"] for each in one["brought"]] for one in told] == [one.brought for one in expected]


def known(agent: str, through: int) -> tuple[ProfileCompiled | None, ChangeDecided | None]:
    """The last profile and the last decision up to a sequence."""
    profile = decision = None
    for one in of(agent):
        if one.sequence <= through:
            profile = one.fact.data if isinstance(one.fact.data, ProfileCompiled) else profile
            decision = one.fact.data if isinstance(one.fact.data, ChangeDecided) else decision
    return profile, decision


@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
@pytest.mark.parametrize("agent", asked_about()[:3])
def test_show_at_an_instant_is_what_was_known_then(desk: Desk, agent: str, share: float) -> None:
    one = log()[int(share * COUNT)]
    told = desk.ask("show", agent, "--as-of", instant(one.stored_at))
    profile, decision = known(agent, one.sequence)
    assert told["through"] == one.sequence
    assert told["profile_digest"] == (profile.profile_digest if profile else "")
    assert [lock["verdict"] for lock in told["locks"]] == ([decision.verdict] if decision else [])


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("agent", asked_about()[:2])
def test_what_an_agent_was_at_an_instant_is_the_value_that_held_or_the_two_of_which_one_did(
    desk: Desk, agent: str, share: float
) -> None:
    at = log()[int(share * COUNT)].stored_at
    told = desk.ask("show", agent, "--was", instant(at))
    held = {one["capability"]: [each["sequence"] for each in one["values"]] for one in told["capabilities"]}
    for name in NAMES:
        expected, seen = [], values(of(agent), agent, name)
        for one, following in pairwise([*seen, None]):
            assert one is not None
            begun = instant(at) >= one.first_seen or (
                one is not seen[0] and one.after is not None and one.after < instant(at)
            )
            over = following is not None and following.first_seen <= instant(at)
            expected += [one.sequence] if begun and not over else []
        assert held.get(name, []) == expected
        assert len(expected) <= 2


@pytest.mark.parametrize("agent", asked_about()[:3])
def test_two_instants_differ_in_what_changed_between_them(desk: Desk, agent: str) -> None:
    early, late = log()[COUNT // 3], log()[-1]
    told = desk.ask("show", agent, "--as-of", instant(late.stored_at), "--against", instant(early.stored_at))
    before, after = known(agent, early.sequence), known(agent, late.sequence)
    assert before[0] is not None
    assert after[0] is not None
    old, new = (capabilities(one.profile, one.identity) for one in (before[0], after[0]))
    differ = {name for name in old.keys() | new.keys() if old.get(name, "null") != new.get(name, "null")}
    assert {one["name"] for one in told["changes"] if one["kind"] == "capability"} == differ


def decisions(agent: str) -> list[Stored]:
    return [one for one in of(agent) if isinstance(one.fact.data, ChangeDecided)]


@pytest.mark.parametrize("agent", [name for name in asked_about() if decisions(name)])
def test_a_decision_is_explained_by_its_causes_and_since_when_its_findings_stand(desk: Desk, agent: str) -> None:
    since: dict[str, int] = {}
    by_id = {str(one.fact.id): one.sequence for one in of(agent)}
    for number, one in enumerate(decisions(agent)):
        event = one.fact.data
        assert isinstance(event, ChangeDecided)
        since = {found.fingerprint: since.get(found.fingerprint, one.sequence) for found in event.findings}
        if number % max(len(decisions(agent)) // 6, 1):
            continue
        told = desk.ask("explain", str(one.sequence))
        assert told["missing"] == []
        assert {each["sequence"] for each in told["causes"]} >= {by_id[str(name)] for name in event.causes}
        assert {each["finding"]["fingerprint"]: each["since"] for each in told["reasons"]} == since
        following = decisions(agent)[number + 1 :]
        assert told["superseded_by"] == (following[0].sequence if following else None)


def test_a_slice_taken_elsewhere_answers_as_here(desk: Desk, tmp_path: Path) -> None:
    agent = next(name for name in asked_about() if decisions(name))
    middle = log()[COUNT // 2]
    bundle = tmp_path / "slice.tar.gz"
    bundled = desk.ask("export", "--agent", agent, "--since", instant(middle.stored_at), "-o", str(bundle))["manifest"]
    assert bundled["facts"] - bundled["context"] == sum(one.sequence > middle.sequence for one in of(agent))
    late = [one for one in decisions(agent) if one.sequence > middle.sequence]
    here = [desk.ask("explain", str(one.sequence)) for one in late[:5]]
    blamed = desk.ask("blame", agent, NAMES[0])["values"]
    with server() as running:
        other = Desk(running.url, tmp_path)
        other.ask("import", str(bundle))
        for one, answer in zip(late[:5], here, strict=True):
            there = other.ask("explain", str(one.sequence))
            assert there["missing"] == []
            named = [[(each["role"], each["sequence"]) for each in told["causes"]] for told in (there, answer)]
            assert named[0] == named[1]
            assert [each["since"] for each in there["reasons"]] == [each["since"] for each in answer["reasons"]]
        held = [one for one in blamed if one["sequence"] > middle.sequence]
        assert other.ask("blame", agent, NAMES[0])["values"][-len(held) :] == held


def test_what_is_kept_is_what_the_log_says_and_other_rules_would_differ_where_they_do(
    desk: Desk, tmp_path: Path
) -> None:
    told = desk.ask("replay", "--projection", "lockfile_status", "--projection", "routes")
    assert all(one["same"] and one["facts"] == COUNT for one in told["results"])
    rules = tmp_path / "softer.toml"
    rules.write_text('input-mode-removed = "note"\n')
    supposed = desk.ask("replay", "--rules", str(rules))
    assert (supposed["told"], supposed["through"]) == (sum(len(decisions(one)) for one in everybody()), COUNT)


def everybody() -> list[str]:
    return sorted({one.fact.data.agent for one in log() if isinstance(one.fact.data, AgentEvent)})


def test_sql_counts_what_a_loop_counts(desk: Desk) -> None:
    rows = desk.ask("sql", "SELECT kind, count(*) AS n FROM history GROUP BY kind", "--rows", "1000")["rows"]
    assert {row["kind"]: row["n"] for row in rows} == Counter(one.fact.data.kind for one in log())
    last: dict[str, str] = {}
    profiles: dict[str, str] = {}
    for one in log():
        event = one.fact.data
        if isinstance(event, ChangeDecided):
            last[event.agent] = event.verdict
        elif isinstance(event, ProfileCompiled):
            profiles[event.agent] = event.profile_digest
    rows = desk.ask("sql", "SELECT agent, verdict FROM lockfile_status", "--rows", "10000")["rows"]
    assert {row["agent"]: row["verdict"] for row in rows} == last
    rows = desk.ask("sql", "SELECT agent, profile_digest FROM agents", "--rows", "10000")["rows"]
    assert {row["agent"]: row["profile_digest"] for row in rows} == profiles
    opened = desk.ask("sql", "SELECT agent, count(*) AS n FROM capability_spans WHERE ended_by IS NULL GROUP BY agent",
                      "--rows", "10000")["rows"]  # fmt: skip
    assert {row["agent"] for row in opened} <= set(profiles)
    told = desk.ask("sql", "SELECT sum(agents)::BIGINT AS n FROM provider_reliability")["rows"]
    assert told == [{"n": AGENTS}]
    assert desk.ask("report")["facts"] == COUNT


def test_an_archive_holds_each_fact_once(desk: Desk) -> None:
    done = desk.ask("archive", "-o", str(desk.folder / "facts"))
    assert (done["facts"], done["through"]) == (COUNT, COUNT)
    manifest = json.loads(next((desk.folder / "facts").glob("*.json")).read_text())
    assert sum(one["rows"] for one in manifest["files"]) == COUNT


def test_the_tree_over_the_log_has_the_plain_root_and_proves_any_fact() -> None:
    hashes = [
        Leaf(one.sequence, int(one.stored_at.timestamp() * 1e9), subject(one.fact.data), one.raw).hash()
        for one in log()
    ]
    frontier, kept = Frontier(), Sparse()
    chosen = set(range(0, COUNT, max(COUNT // 40, 1)))
    for place, one in enumerate(hashes):
        frontier.append(one)
        kept.append(one, keep=place in chosen)
    assert frontier.root() == plain_root(hashes)
    assert leaf_hash(b"x") != node_hash(b"", b"x")
    assert kept.ended().root() == frontier.root()


def test_every_lock_has_as_many_decisions_as_the_loop_counts(desk: Desk) -> None:
    counted: dict[str, int] = defaultdict(int)
    for one in log():
        if isinstance(one.fact.data, ChangeDecided):
            counted[one.fact.data.agent] += 1
    rows = desk.ask("sql", "SELECT agent, count(*) AS n FROM decisions GROUP BY agent", "--rows", "10000")["rows"]
    assert {row["agent"]: row["n"] for row in rows} == counted
