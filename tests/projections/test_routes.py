from cardtrail.events import PolicyDeclared
from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Row, Rows
from cardtrail.projections.routes import Routes
from tests.projections.facts import LOCK, decided, full, lock, pinned
from tests.projections.log import Log

FARES = Candidate(agent="https://fares.example/card", skills={"quote": "fare"})


def rows_of(log: Log) -> Rows:
    rows = Rows()
    for stored in log.facts:
        Routes().apply(stored, rows)
    return rows


def route(log: Log, skill: str = "quote") -> Row:
    row = rows_of(log).get("routes", ("public", "trip", skill))
    assert row is not None
    return row


def pair(log: Log) -> None:
    """A lock with one fallback, which is judged under the operator's name for it."""
    pinned(log, lock(FARES))
    pinned(log, lock(agent=FARES.agent, skills=("fare",)), agent="fares", candidate_of="pricing")


def test_nobody_is_used_before_a_decision_and_a_person_takes_over() -> None:
    log = Log()
    pair(log)
    row = route(log)
    assert [candidate["verdict"] for candidate in row["candidates"]] == ["pending", "pending"]
    assert (row["use"], row["answer"], row["person"]) == (None, "person", "mira")


def test_the_lock_s_own_agent_comes_first_and_a_review_does_not_stop_it() -> None:
    log = Log()
    pair(log)
    decided(log, "compatible", "allow", agent="fares")
    decided(log, "review", "probe", "agent-version-changed")
    assert (route(log)["use"], route(log)["use_skill"]) == ("pricing", "quote")


def test_a_stopped_agent_gives_way_to_the_judged_fallback_under_its_own_skill_id() -> None:
    log = Log()
    pair(log)
    decided(log, "compatible", "allow", agent="fares")
    decided(log, "breaking", "stop", "skill-removed")
    row = route(log)
    assert (row["use"], row["use_skill"], row["answer"]) == ("fares", "fare", "agent")
    assert [candidate["agent"] for candidate in row["candidates"]] == ["pricing", "fares"]


def test_a_fallback_is_judged_under_the_name_that_the_lock_gives_it() -> None:
    log = Log()
    pinned(log, lock(FARES))
    decided(log, "breaking", "stop", "skill-removed")
    decided(log, "compatible", "allow", agent=FARES.agent)
    assert (route(log)["use"], route(log)["use_skill"]) == (FARES.agent, "fare")


def test_a_candidate_says_the_rules_that_give_its_verdict_though_no_lock_is_its_own() -> None:
    log = Log()
    pinned(log, lock(FARES))
    decided(log, "review", "probe", "agent-version-changed")
    decided(log, "breaking", "stop", "streaming-withdrawn", agent=FARES.agent)
    assert [candidate["rules"] for candidate in route(log)["candidates"]] == [
        ["agent-version-changed"],
        ["streaming-withdrawn"],
    ]


def test_rows_of_a_release_that_kept_no_rules_are_composed_all_the_same() -> None:
    log, rows = Log(), Rows()
    pinned(log, lock())
    decided(log, "compatible", "allow")
    for stored in log.facts:
        Routes().apply(stored, rows)
    parts = rows.get("route_parts", ("public", "trip"))
    assert parts is not None
    parts["pairs"]["pricing"].pop("rules")
    rows.put("route_parts", ("public", "trip"), parts)
    Routes().apply(full(log, "one"), rows)
    row = rows.get("routes", ("public", "trip", "quote"))
    assert row is not None
    assert (row["use"], row["candidates"][0]["rules"]) == ("pricing", [])


def test_a_new_pin_takes_the_old_fallback_out_of_the_route() -> None:
    log = Log()
    pinned(log, lock(FARES))
    pinned(log, lock())
    assert [candidate["agent"] for candidate in route(log)["candidates"]] == ["pricing"]


def test_a_fallback_that_nobody_has_judged_yet_is_named_and_never_used() -> None:
    log = Log()
    pinned(log, lock(FARES, person=""))
    decided(log, "breaking", "stop", "skill-removed")
    row = route(log)
    assert [candidate["verdict"] for candidate in row["candidates"]] == ["breaking", "pending"]
    assert (row["use"], row["answer"]) == (None, "nobody")


def test_silence_has_an_instant_that_follows_the_last_answer_and_the_policy() -> None:
    log = Log()
    pair(log)
    decided(log, "compatible", "allow")
    assert route(log)["candidates"][0]["stale_after"] is None
    card = full(log, "one")
    log.tell(PolicyDeclared(policy=Policy(staleness_s=3600), digest="sha256:p"))
    assert route(log)["candidates"][0]["stale_after"] == "2026-11-30T09:00:04.000Z"
    log.say("card-fetched", status=304, same_as=card.sequence)
    candidate = route(log)["candidates"][0]
    assert (candidate["stale_after"], candidate["judged_through"]) == ("2026-11-30T09:00:06.000Z", 6)


def test_a_skill_that_a_new_pin_no_longer_names_has_no_route() -> None:
    log = Log()
    pinned(log, lock(skills=("quote", "book")))
    assert route(log, "book")["candidates"]
    pinned(log, lock(skills=("quote",)), digest="sha256:two")
    assert list(rows_of(log).table("routes")) == [("public", "trip", "quote")]


def test_two_locks_of_one_workflow_keep_their_own_skills_and_share_the_common_one_in_order_of_pinning() -> None:
    log = Log()
    pinned(log, lock(skills=("quote", "book"), person=""))
    pinned(log, lock(agent="hotels", skills=("rooms", "book")), agent="hotels")
    for agent in ("pricing", "hotels"):
        decided(log, "compatible", "allow", agent=agent)
    assert route(log, "rooms")["use"] == "hotels"
    assert [candidate["agent"] for candidate in route(log, "book")["candidates"]] == ["pricing", "hotels"]
    assert route(log, "book")["person"] == "mira"


def test_a_workflow_without_named_skills_has_one_route() -> None:
    log = Log()
    pinned(log, lock(skills=()))
    decided(log, "compatible", "allow-degraded", degraded=("streaming",))
    assert (route(log, "")["use"], route(log, "")["candidates"][0]["degraded"]) == ("pricing", ["streaming"])


def test_a_released_lock_leaves_no_row_behind() -> None:
    log = Log()
    pinned(log, lock())
    decided(log, "compatible", "allow", lock_digest=LOCK)
    log.say("lockfile-released", workflow="trip")
    assert rows_of(log).table("routes") == {}
    assert rows_of(log).table("route_parts") == {}


def stood_in() -> Log:
    """A lock whose own agent and stand-in, by the operator's name, were both heard and judged."""
    log = Log()
    pinned(log, lock(Candidate(agent="fares")))
    for agent in ("pricing", "fares"):
        full(log, "one", agent)
    for agent in ("pricing", "fares"):
        decided(log, "compatible", "allow", agent=agent)
    return log


def test_a_stand_in_is_heard_although_the_agent_it_stands_in_for_is_silent() -> None:
    log = stood_in()
    _, before = route(log)["candidates"]
    log.say("card-fetched", "fares", status=304, same_as=3)
    first, after = route(log)["candidates"]
    assert after["stale_after"] > before["stale_after"] > first["stale_after"]
    assert after["judged_through"] == 6


def test_an_agent_that_nobody_watches_is_used_no_longer_until_it_is_judged_again() -> None:
    log = stood_in()
    log.say("agent-untracked", "fares")
    assert [one["verdict"] for one in route(log)["candidates"]] == ["compatible", "pending"]
    log.say("agent-untracked", "pricing")
    row = route(log)
    assert (row["use"], row["answer"]) == (None, "person")
    assert [(one["verdict"], one["action"], one["stale_after"]) for one in row["candidates"]] == [
        ("pending", None, None)
    ] * 2
    full(log, "one", "fares")
    decided(log, "compatible", "allow", agent="fares")
    assert (route(log)["use"], route(log)["candidates"][1]["stale_after"]) == ("fares", "2026-12-02T08:00:08.000Z")


def test_a_stand_in_that_no_lock_names_any_more_leaves_no_row_behind() -> None:
    log = stood_in()
    pinned(log, lock(), digest="sha256:two")
    assert set(rows_of(log).table("locks_on")) == {("public", "pricing")}
    log = stood_in()
    log.say("lockfile-released", workflow="trip")
    full(log, "two", "fares")
    rows = rows_of(log)
    assert [rows.table(name) for name in ("routes", "route_parts", "locks_on")] == [{}, {}, {}]


URL = "https://p.example/c"


def test_a_lock_that_names_its_agent_by_a_location_hears_of_it_as_of_any_other() -> None:
    log = Log()
    pinned(log, lock(agent=URL), agent=URL)
    full(log, "d1")
    decided(log, "compatible", "allow", agent=URL, watched="pricing")
    (candidate,) = route(log)["candidates"]
    assert (candidate["agent"], candidate["watched"]) == (URL, "pricing")
    first = candidate["stale_after"]
    assert first is not None
    log.say("card-fetched", same_as=2, status=304)
    (candidate,) = route(log)["candidates"]
    assert candidate["stale_after"] > first
    assert candidate["judged_through"] == 4


def test_a_released_lock_is_no_more_one_on_the_agent_that_it_named_by_a_location() -> None:
    log = Log()
    pinned(log, lock(agent=URL), agent=URL)
    pinned(log, lock())
    decided(log, "compatible", "allow", agent=URL, watched="pricing")
    log.say("lockfile-released", URL, workflow="trip")
    rows = rows_of(log)
    assert rows.get("locks_on", ("public", URL)) is None
    assert rows.get("locks_on", ("public", "pricing")) == {"locks": [["trip", "pricing"]]}


def test_several_locks_naming_one_skill_are_flagged() -> None:
    log = Log()
    pinned(log, lock())
    assert not route(log)["ambiguous"]
    pinned(log, lock(agent="fares"), agent="fares")
    assert route(log)["ambiguous"]
