from typing import Any

from hypothesis import given as law
from hypothesis import strategies as st

from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.policy import Policy
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.projection import Fold, Rows
from cardtrail.projections.routes import Routes
from cardtrail.services.web.asked import Asked, asked
from cardtrail.services.web.attempts import SHOWN
from cardtrail.services.web.known import Known
from cardtrail.services.web.views.fleet import HEARD, VERDICTS, Fleet, fleet
from cardtrail.services.web.views.strip import NONE, strip
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log
from tests.services.web.scene import NOW, at, known, past, story

FLEET: tuple[Fold, ...] = (CurrentProfile(), LockfileStatus(), Routes())


def shown(facts: Any, query: str = "", seconds: float = 100) -> Fleet:
    return fleet(known(facts), asked("/", query), at(seconds))


def test_a_row_says_verdict_since_owner_findings_evidence_card_and_looks() -> None:
    (row,) = shown(story().facts).rows
    assert (row.agent, row.workflow, row.verdict, row.action) == ("pricing", "trip", "breaking", "stop")
    assert (row.owner, row.provider, row.open, row.rules) == ("travel", "Partner", 1, ("streaming-withdrawn",))
    assert row.since == "2026-11-30T09:00:08Z"
    assert row.card_at == "2026-11-30T08:00:07.000Z"
    assert row.strip.codes.lstrip(NONE) == "cuc"
    assert row.strip.text == "last 3 looks: 2 changed, 1 unchanged"


def test_another_principals_rows_are_not_there() -> None:
    log = story()
    log.say("agent-tracked", "vault", principal="desk", target={"kind": "domain", "value": "v.example"})
    assert {row.agent for row in shown(log.facts).rows} == {"pricing"}
    mixed = Known("public", {**known(log.facts).tables, "freshness": past(log.facts, "desk").rows.table("freshness")})
    assert "vault" not in mixed.agents, "a table that holds both still shows one"
    assert [row.agent for row in fleet(known(log.facts, "desk"), Asked("/"), NOW).rows] == ["vault"]


def test_the_worst_comes_first_and_an_agent_without_a_lock_last() -> None:
    log = story()
    for number, verdict, action in ((1, "review", "probe"), (2, "compatible", "allow")):
        name = f"agent-{number}"
        log.say("agent-tracked", name, target={"kind": "domain", "value": "x.example"})
        compiled(log, full(log, "x", name), profile(), name)
        pinned(log, lock(agent=name), name)
        decided(log, verdict, action, agent=name)
    log.say("agent-tracked", "free", target={"kind": "domain", "value": "f.example"})
    told = [known(log.facts)] + [past(log.facts, agent=f"agent-{n}").known() for n in (1, 2)]
    found = fleet(told[0], Asked("/"), NOW)
    assert [row.verdict for row in found.rows] == ["breaking", "review", "compatible", "unlocked"]
    assert found.verdicts == {"breaking": 1, "review": 1, "pending": 0, "compatible": 1, "unlocked": 1}
    assert found.heard["unheard"] == 1
    assert sum(found.heard.values()) == found.agents == 4


def test_a_fallback_without_a_lock_of_its_own_stands_there_with_its_verdict_and_what_it_stands_in_for() -> None:
    log = story()
    log.say("agent-tracked", "fares", target={"kind": "domain", "value": "f.example"})
    pinned(log, lock(Candidate(agent="fares")))
    assert {row.agent: row.verdict for row in fleet(whole(log), Asked("/"), NOW).rows} == {
        "pricing": "pending",
        "fares": "pending",
    }
    decided(log, "compatible", "allow")
    decided(log, "compatible", "allow", agent="fares")
    rows = {row.agent: row for row in fleet(whole(log), Asked("/"), NOW).rows}
    assert (rows["fares"].verdict, rows["fares"].workflow, rows["fares"].candidate_of) == (
        "compatible",
        "trip",
        "pricing",
    )
    assert (rows["fares"].without_lock, rows["pricing"].alone) == (True, False)
    decided(log, "breaking", "stop", "skill-removed", agent="fares")
    rows = {row.agent: row for row in fleet(whole(log), Asked("/"), NOW).rows}
    assert (rows["fares"].verdict, rows["fares"].rules, rows["fares"].owner) == (
        "breaking",
        ("skill-removed",),
        "travel",
    )
    assert (rows["pricing"].verdict, rows["pricing"].alone) == ("compatible", True)
    log.say("lockfile-released", workflow="trip")
    assert {row.agent: row.verdict for row in fleet(whole(log), Asked("/"), NOW).rows} == {
        "pricing": "unlocked",
        "fares": "unlocked",
    }


def whole(log: Log) -> Known:
    """The rows that the fleet is shown from, of all agents."""
    held = Rows()
    for stored in log.facts:
        held.mark()
        for fold in FLEET:
            fold.apply(stored, held)
        held.taken()
    names = ("freshness", "current_profile", "lockfile_status", "routes")
    return Known("public", {name: held.table(name) for name in names}, len(log.facts))


def test_a_lock_that_names_the_agent_by_its_url_is_the_agents_own() -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "card-url", "value": "https://p.example/c"})
    compiled(log, full(log, "a"), profile())
    url = "https://P.example:443/c"
    pinned(log, lock(agent=url), url)
    (row,) = shown(log.facts).rows
    assert (row.agent, row.verdict, row.heard) == ("pricing", "pending", "fresh")
    assert known(log.facts).names("pricing") == ("pricing", url)


def test_freshness_goes_by_the_policy_in_force() -> None:
    log = story()
    assert shown(log.facts, seconds=100).rows[0].heard == "fresh"
    assert shown(log.facts, seconds=Policy().staleness_s + 60).rows[0].heard == "stale"
    held = known(log.facts)
    patient = Known("public", {**held.tables, "staleness_budget": {("policy",): {"staleness_s": 1}}}, held.through)
    assert fleet(patient, Asked("/"), at(100)).rows[0].heard == "stale"


def test_facets_count_what_each_value_would_leave_under_the_other_filters() -> None:
    log = story()
    log.say("agent-tracked", "fares", target={"kind": "domain", "value": "f.example"}, provider="Other")
    everything = {facet.name: facet for facet in shown(log.facts).facets}
    assert {(one.value, one.count) for one in everything["verdict"].options} == {("breaking", 1), ("unlocked", 1)}
    narrowed = shown(log.facts, "verdict=breaking")
    assert [row.agent for row in narrowed.rows] == ["pricing"]
    assert (narrowed.total, narrowed.matching) == (2, 1)
    by_name = {facet.name: {one.value: (one.count, one.chosen) for one in facet.options} for facet in narrowed.facets}
    assert by_name["verdict"] == {"breaking": (1, True), "unlocked": (1, False)}
    assert "provider" not in by_name, "one value is no choice"
    assert shown(log.facts, "rule=streaming-withdrawn&verdict=unlocked").matching == 0


def test_search_goes_over_names_and_skills_and_says_where_it_hit() -> None:
    log = story()
    assert shown(log.facts, "q=PRIC").matching == 1
    assert shown(log.facts, "q=partner%20trip").matching == 1
    (row,) = shown(log.facts, "q=quote").rows
    assert row.found_in == "skill quote"
    assert shown(log.facts, "q=nowhere").matching == 0


def test_a_page_that_is_none_is_the_nearest_one() -> None:
    for page in ("2", "99", "9" * 20):
        assert shown(story().facts, f"page={page}").page == 1


@law(st.text(alphabet="ucr", max_size=80))
def test_a_strip_is_fifty_marks_and_every_one_is_drawn_once(codes: str) -> None:
    made = strip(codes[-SHOWN:])
    assert len(made.codes) == SHOWN
    assert sum(path.count("M") for _, path in made.paths()) == SHOWN
    assert made.text.startswith("last" if codes else "never")


@law(st.sampled_from(["", "worst", "agent", "-agent", "since", "-card", "evidence", "owner", "x"]))
def test_no_order_loses_a_row(sort: str) -> None:
    log = story()
    for name in ("a", "b"):
        log.say("agent-tracked", name, target={"kind": "domain", "value": "x.example"})
    assert sorted(row.agent for row in shown(log.facts, f"sort={sort}").rows) == ["a", "b", "pricing"]
    assert set(VERDICTS) >= {row.verdict for row in shown(log.facts).rows}
    assert set(HEARD) >= {row.heard for row in shown(log.facts).rows}
