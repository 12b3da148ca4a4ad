"""When each claim is tested: on the first pin, after a relevant change, on review, on doubt, when asked; else slowly."""

from datetime import timedelta
from typing import Any

import pytest

from cardtrail.events import (
    AgentTracked,
    CardFetched,
    ChangeDecided,
    DeadlinePassed,
    Event,
    LockfilePinned,
    LockfileReleased,
    ProbeRecorded,
    ProbeStarted,
    RuntimeErrorObserved,
    Stored,
)
from cardtrail.events.agent_tracked import Target
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import Candidate, Lockfile
from cardtrail.events.model.profile import Profile
from cardtrail.projections.projection import Rows
from cardtrail.services.contract import SafetyContract
from cardtrail.services.prober.agenda import DUE, Agenda
from cardtrail.services.prober.docket import soonest
from cardtrail.services.prober.memory import Check, Checks, Subject
from cardtrail.services.settings import ProbeSettings
from tests.projections.facts import compiled, full, lock, profile
from tests.projections.log import Log

CONTRACT = SafetyContract(message={"parts": [{"data": {}, "mediaType": "a/json"}]}, rate_s=0)
STREAMING, VERSION = Claim(kind="streaming"), Claim(kind="version", value="JSONRPC 1.0")
MODE = Claim(kind="input-mode", skill="quote", value="a/json")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


class Scene:
    """A log by hand and the agenda beside it."""

    def __init__(self, contract: SafetyContract | None = CONTRACT, **settings: Any) -> None:
        self.log, self.rows = Log(), Rows()
        contracts = {} if contract is None else {"pricing": contract}
        self.contract, self.agenda = contract, Agenda(ProbeSettings(**settings), contracts)
        self.now = self.apply(
            AgentTracked(agent="pricing", target=Target(kind="card-url", value="https://p.example/c"))
        ).stored_at

    def apply(self, event: Event | Stored) -> Stored:
        stored = event if isinstance(event, Stored) else self.log.tell(event)
        self.agenda.apply(stored, self.rows)
        self.now = stored.stored_at
        return stored

    def compile(self, value: Profile) -> Stored:
        card = full(self.log, f"d{len(self.log.facts)}", location="https://p.example/c")
        self.apply(card)
        return self.apply(compiled(self.log, card, value))

    def pin(self, value: Lockfile | None = None, workflow: str = "trip") -> Stored:
        return self.apply(
            LockfilePinned(agent="pricing", workflow=workflow, lockfile=value or lock(), lock_digest="sha256:1")
        )

    def record(self, probe: str, claim: Claim, outcome: str = "held", **members: Any) -> Stored:
        given = {"probe": probe, "claim": claim, "outcome": outcome, "profile_digest": "sha256:p"} | members
        return self.apply(ProbeRecorded.model_validate({"agent": "pricing", **given}))

    def all_held(self) -> None:
        for check in self.checks():
            self.record(check.probe, check.claim)

    def checks(self, agent: str = "pricing") -> tuple[Check, ...]:
        row = self.rows.get("checks", (agent, "public"))
        return Checks.model_validate_json(row["value"]).entries if row else ()

    def due(self) -> set[str]:
        """The probes that are wanted now."""
        return {check.probe for check in self.checks() if check.due <= self.now}

    def waits(self, probe: str) -> timedelta:
        return next(check.due for check in self.checks() if check.probe == probe) - self.now


def ready(contract: SafetyContract | None = CONTRACT, **settings: Any) -> Scene:
    """Pinned, and every claim was seen to hold."""
    scene = Scene(contract, **settings)
    scene.compile(profile())
    scene.pin()
    scene.all_held()
    assert scene.due() == set()
    return scene


def test_nothing_is_tested_of_an_agent_that_no_lock_names() -> None:
    scene = Scene()
    scene.compile(profile())
    assert scene.checks() == ()
    assert scene.rows.get(DUE, ("pricing", "public")) is None


def test_a_first_pin_wants_its_claims_tested_at_once_and_nothing_else() -> None:
    scene = Scene()
    scene.compile(profile(quote=("a/json",), other=("b/json",)))
    scene.pin()
    assert {(check.probe, check.claim) for check in scene.checks()} == {
        ("binding-answers", VERSION), ("streaming", STREAMING), ("input-mode", MODE),
    }  # fmt: skip
    assert scene.due() == {"binding-answers", "streaming", "input-mode"}


def test_without_a_contract_only_that_the_binding_answers_is_tested() -> None:
    scene = Scene(None)
    scene.compile(profile())
    scene.pin()
    assert scene.due() == {"binding-answers"}


def test_what_holds_comes_again_slowly_what_does_not_sooner_and_what_showed_nothing_ever_later() -> None:
    scene = ready()
    assert DAY <= scene.waits("streaming") <= 1.1 * DAY
    scene.record("streaming", STREAMING, "contradicted")
    assert HOUR <= scene.waits("streaming") <= 1.1 * HOUR
    waits = []
    for _ in range(4):
        scene.record("streaming", STREAMING, "inconclusive", reason="unavailable")
        waits.append(scene.waits("streaming"))
    assert waits == sorted(waits)
    assert waits[0] < HOUR < 1.5 * waits[-1]
    scene.record("streaming", STREAMING, "inconclusive", reason="throttled", retry_after_s=3 * 86_400)
    assert scene.waits("streaming") >= 3 * DAY


def test_another_profile_wants_only_the_changed_claims_tested_and_another_endpoint_all_of_them() -> None:
    scene = ready()
    scene.compile(profile(quote=("a/json", "b/json")))
    assert scene.due() == set()
    scene.compile(profile(quote=("b/json",)))
    assert {check.probe for check in scene.checks()} == {"binding-answers", "streaming"}
    scene.compile(profile())
    assert scene.due() == {"input-mode"}
    scene.all_held()
    moved = profile()
    assert moved.interface is not None
    scene.compile(moved.model_copy(update={"interface": moved.interface.model_copy(update={"tenant": "t"})}))
    assert scene.due() == {"binding-answers", "streaming", "input-mode"}


def test_a_review_wants_everything_tested_again() -> None:
    scene = ready()
    decided = {"workflow": "trip", "verdict": "review", "action": "probe", "valid_from": "2026-11-30T08:00:00Z"}
    decided |= {"considered_through": 5, "lock_digest": "", "rules_version": "1", "policy_digest": ""}
    scene.apply(ChangeDecided.model_validate({"agent": "https://p.example/c", **decided}))
    assert scene.due() == {"binding-answers", "streaming", "input-mode"}


def test_a_call_that_contradicts_a_claim_has_it_tested_but_never_in_a_hurry() -> None:
    scene = ready()
    error = RuntimeErrorObserved(
        agent="pricing", workflow="trip", operation="SendStreamingMessage", error="x", profile_digest="", contradicts=STREAMING
    )  # fmt: skip
    scene.apply(error)
    assert scene.due() == set()
    assert scene.waits("streaming") <= timedelta(seconds=60)
    silent = error.model_copy(update={"contradicts": None, "operation": "SendMessage"})
    scene.apply(silent)
    assert scene.waits("input-mode") > HOUR


def test_an_operator_may_ask_for_what_no_lock_needs_and_it_is_tested_once() -> None:
    scene = ready()
    scene.apply(
        DeadlinePassed(agent="pricing", what="probe", due="2026-11-30T08:00:00Z", fingerprint="version-enforced")
    )
    assert scene.due() == {"version-enforced"}
    scene.record("version-enforced", Claim(kind="version-enforced"), "inconclusive", reason="not-enforced")
    assert "version-enforced" not in {check.probe for check in scene.checks()}
    scene.apply(
        DeadlinePassed(agent="pricing", what="probe", due="2026-11-30T09:00:00Z", fingerprint="extension-enforced")
    )
    assert scene.due() == set()


def test_an_agent_that_turns_us_away_has_its_claim_about_authentication_tested() -> None:
    scene = ready(None)
    scene.record("binding-answers", VERSION, "inconclusive", reason="authentication")
    assert scene.due() == {"security-required"}


def test_a_start_spends_the_budget_and_one_that_nobody_ends_comes_back_to_be_told_as_interrupted() -> None:
    scene = ready(CONTRACT.model_copy(update={"budget": 1}))
    started = scene.apply(ProbeStarted(agent="pricing", probe="streaming", claim=STREAMING, runs_message=True))
    row = scene.rows.get("checks", ("pricing", "public"))
    checks = Checks.model_validate_json((row or {})["value"])
    assert (checks.through, len(checks.spent)) == (started.sequence, 1)
    patience = scene.agenda.patience_s("pricing")
    found = soonest(checks, scene.contract, patience)
    assert found is not None
    assert (found[0].started, found[1]) == (started.fact.id, started.stored_at + timedelta(seconds=patience))
    scene.record("streaming", STREAMING, "inconclusive", reason="interrupted")
    assert scene.waits("streaming") >= HOUR


def test_a_candidate_is_tested_for_what_the_lock_needs_of_it_under_its_own_skill_ids() -> None:
    scene = Scene()
    scene.apply(AgentTracked(agent="fares", target=Target(kind="card-url", value="https://f.example/c")))
    card = full(scene.log, "f", agent="fares", location="https://f.example/c")
    scene.apply(card)
    scene.apply(compiled(scene.log, card, profile(tariff=("a/json",)), agent="fares"))
    scene.compile(profile())
    scene.pin(lock(Candidate(agent="https://f.example/c", skills={"quote": "tariff"})))
    assert {check.probe for check in scene.checks("fares")} == {"binding-answers"}


def test_a_claim_is_tested_while_any_lock_needs_it() -> None:
    scene = ready()
    scene.pin(workflow="other")
    scene.apply(LockfileReleased(agent="pricing", workflow="trip"))
    assert len(scene.checks()) == 3
    scene.apply(LockfileReleased(agent="pricing", workflow="other"))
    assert scene.checks() == ()
    assert scene.rows.get(DUE, ("pricing", "public")) is None


def test_an_unusable_profile_is_not_probed() -> None:
    scene = ready()
    scene.compile(profile(usable=False))
    assert scene.checks() == ()


def test_a_new_contract_is_felt_at_the_next_start() -> None:
    scene = ready(None)
    again = Agenda(ProbeSettings(), {"pricing": CONTRACT})
    again.replan(scene.rows, scene.now)
    assert scene.due() == {"streaming", "input-mode"}


@pytest.mark.parametrize("twice", [False, True])
def test_a_fact_told_twice_changes_nothing_more(twice: bool) -> None:
    scene = ready()
    record = scene.record("streaming", STREAMING, "contradicted")
    before = scene.rows.table("checks")[("pricing", "public")]
    if twice:
        scene.apply(record.model_copy(update={"sequence": record.sequence + 1}))
    assert scene.rows.table("checks")[("pricing", "public")] == before


def test_where_a_card_comes_from_is_where_messages_may_go() -> None:
    scene = ready()
    scene.apply(CardFetched(agent="pricing", location="https://elsewhere.test/c", semantic_digest="x"))
    row = scene.rows.get("subject", ("pricing", "public"))
    assert Subject.model_validate_json((row or {})["value"]).home == "elsewhere.test"
    assert {check.probe for check in scene.checks()} == {"binding-answers"}


def test_a_test_told_by_a_clock_that_is_behind_was_made_all_the_same() -> None:
    scene = Scene()
    scene.compile(profile())
    scene.pin()
    scene.all_held()
    told = ProbeRecorded(agent="pricing", probe="streaming", claim=STREAMING, outcome="held", profile_digest="sha256:p")
    scene.apply(scene.log.tell(told, at=-3600))
    (check,) = (check for check in scene.checks() if check.probe == "streaming")
    assert (check.last, check.started) == (scene.now, None)
    assert check.due > scene.now
