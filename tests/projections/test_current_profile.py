from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import Stored
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.projection import Row, Rows
from tests.projections.facts import compiled, full, profile
from tests.projections.log import Log

CLAIM = {"kind": "streaming"}


def folded(facts: list[Stored], table: str, agent: str = "pricing", principal: str = "public") -> Row | None:
    rows = Rows()
    for stored in facts:
        CurrentProfile().apply(stored, rows)
    return rows.get(table, (principal, agent))


def known(log: Log, table: str, agent: str = "pricing", principal: str = "public") -> Row:
    row = folded(log.facts, table, agent, principal)
    assert row is not None
    return row


def probe(log: Log, outcome: str, claim: dict[str, str] | None = None, **members: object) -> Stored:
    return log.say(
        "probe-recorded", probe="p", claim=claim or CLAIM, outcome=outcome, profile_digest="sha256:p", **members
    )


def test_a_profile_stands_with_the_card_it_rests_on() -> None:
    log = Log()
    card = full(log, "one")
    compiled(log, card, profile())
    row = known(log, "current_profile")
    assert (row["usable"], row["card"], row["card_sequence"], row["through"]) == (True, str(card.fact.id), 1, 2)
    assert row["profile"]["skills"]["quote"]["input"] == ["a/json"]
    assert known(log, "freshness")["judged_through"] == 1


def test_an_unusable_profile_keeps_the_last_good_one_beside_it_until_a_usable_one_comes() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    for digest in ("two", "three"):
        compiled(log, full(log, digest), profile(usable=False))
    row = known(log, "current_profile")
    assert row["usable"] is False
    assert row["last_good"]["profile"]["usable"] is True
    compiled(log, full(log, "four"), profile())
    assert known(log, "current_profile")["last_good"] is None


def test_a_refusal_never_replaces_a_profile_and_says_since_when() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    before = known(log, "current_profile")
    for reason in ("timed-out", "reset"):
        log.say("card-refused", stage="connect", reason=reason)
    trouble = known(log, "freshness")["trouble"]
    assert (trouble["kind"], trouble["since"], trouble["reason"], trouble["attempts"]) == (
        "unreachable",
        "2026-11-30T08:00:03.000Z",
        "reset",
        2,
    )
    assert known(log, "current_profile") == before
    log.say("card-fetched", status=304, same_as=1)
    assert known(log, "freshness")["trouble"] is None


def test_an_answer_that_is_no_card_is_unreadable_and_a_bad_signature_is_its_own_kind() -> None:
    for stage, status, kind in (
        ("fetch", 200, "unreadable"),
        ("fetch", 503, "unreachable"),
        ("parse", 200, "unreadable"),
    ):
        log = Log()
        log.say("card-refused", stage=stage, reason="x", status=status)
        assert known(log, "freshness")["trouble"]["kind"] == kind
    log.say("card-refused", stage="verify", reason="x")
    assert known(log, "freshness")["trouble"]["kind"] == "signature"


def test_confirmed_and_asserted_are_instants_less_the_age_of_the_answer() -> None:
    log = Log()
    full(log, "one", freshness={"age_s": 60})
    log.say("card-fetched", status=304, same_as=1)
    row = known(log, "freshness")
    assert row["last_confirmed"] == "2026-11-30T07:59:01.000Z"
    assert row["last_asserted"] == "2026-11-30T08:00:02.000Z"
    assert row["judged_through"] == 2


def test_a_changed_answer_is_not_judged_before_its_profile_or_the_next_equal_answer() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    changed = full(log, "two")
    assert known(log, "freshness")["judged_through"] == 1
    log.say("card-fetched", same_as=changed.sequence)
    assert known(log, "freshness")["judged_through"] == 4


def test_evidence_counts_while_its_claim_stands_and_falls_when_the_claim_changes() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    probe(log, "held")
    probe(log, "held", {"kind": "input-mode", "skill": "quote", "value": "a/json"})
    compiled(log, full(log, "two"), profile(quote=("a/json", "a/xml")))
    assert [item["claim"]["kind"] for item in known(log, "evidence")["claims"]] == ["input-mode", "streaming"]
    compiled(log, full(log, "three"), profile(streaming=False))
    assert [item["claim"]["kind"] for item in known(log, "evidence")["claims"]] == ["input-mode"]


def test_only_a_held_probe_clears_a_contradiction() -> None:
    log = Log()
    log.say(
        "runtime-error-observed",
        workflow="trip",
        operation="SendStreamingMessage",
        error="UnsupportedOperationError",
        profile_digest="sha256:p",
        contradicts=CLAIM,
    )
    probe(log, "inconclusive", reason="throttled")
    (item,) = known(log, "evidence")["claims"]
    assert (item["outcome"], item["source"], item["inconclusive"]["reason"]) == ("contradicted", "call", "throttled")
    assert known(log, "calls")["operations"]["SendStreamingMessage"]["contradicting"] == 1
    probe(log, "held", trials=3, passes=3)
    (item,) = known(log, "evidence")["claims"]
    assert (item["outcome"], item["source"], item["since"], item["inconclusive"]) == (
        "held",
        "probe",
        "2026-11-30T08:00:03.000Z",
        None,
    )


def test_calls_add_up_by_operation() -> None:
    log = Log()
    for minute, calls in (("2026-11-30T08:01:00Z", 7), ("2026-11-30T08:02:00Z", 3)):
        log.say("calls-counted", workflow="trip", operation="SendMessage", minute=minute, calls=calls, errors=1)
    tally = known(log, "calls")["operations"]["SendMessage"]
    assert (tally["calls"], tally["errors"], tally["first_minute"], tally["last_minute"]) == (
        10,
        2,
        "2026-11-30T08:01:00Z",
        "2026-11-30T08:02:00Z",
    )


def test_one_principal_s_knowledge_never_stands_in_another_s_row() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    compiled(log, full(log, "two", principal="partner"), profile(secret=("a/b",)), principal="partner")
    assert list(known(log, "current_profile")["profile"]["skills"]) == ["quote"]
    assert list(known(log, "current_profile", principal="partner")["profile"]["skills"]) == ["secret"]


def test_an_observation_older_than_the_newest_changes_nothing_and_a_repeated_id_neither() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    before = folded(log.facts, "freshness")
    log.say("card-refused", stage="connect", reason="x")
    refused = folded(log.facts, "freshness")
    assert refused != before
    late = Log()
    late.facts = [*log.facts]
    late.tell(log.facts[0].fact.data, at=0.5)
    late.tell(log.facts[2].fact.data, number=log.facts[2].fact.id, at=3)
    late.tell(log.facts[1].fact.data, number=log.facts[1].fact.id)
    assert folded(late.facts, "freshness") == refused


def test_what_is_seen_once_a_clock_that_ran_ahead_was_set_right_is_no_late_news() -> None:
    log = Log()
    log.say("card-refused", stage="connect", reason="before")
    log.tell(CardRefused(agent="pricing", stage="connect", reason="an hour ahead"), at=3600)
    log.say("card-refused", stage="connect", reason="set right")
    assert known(log, "freshness")["trouble"]["reason"] == "set right"


def test_an_untracked_agent_is_marked_and_what_was_known_stays() -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p.example"}, provider="Acme")
    compiled(log, full(log, "one"), profile())
    log.say("agent-untracked")
    row = known(log, "freshness")
    assert (row["tracked"], row["provider"]) == (False, "Acme")
    assert known(log, "current_profile")["usable"] is True
