from cardtrail.events import ChangeDecided, Stored
from cardtrail.events.model.finding import Finding
from cardtrail.services.web.views.decision import DecisionView, decision_view
from tests.projections.facts import LOCK, decided
from tests.projections.log import Log
from tests.services.web.scene import past, story

ROUTE = {
    "skill": "quote",
    "use": "fares",
    "person": "mira",
    "candidates": [
        {"agent": "pricing", "skill": "quote", "verdict": "breaking", "usable": False},
        {"agent": "fares", "skill": "offer", "verdict": "compatible", "usable": True},
    ],
}


def shown(log: Log, place: int = -1, routes: tuple[dict[str, object], ...] = ()) -> DecisionView:
    told = past(log.facts)
    stored, event = told.decisions[place]
    return decision_view(told, stored, event, routes)


def test_one_box_says_can_or_cannot_and_whom_to_use_instead() -> None:
    log = story()
    view = shown(log, routes=(ROUTE,))
    assert (view.can, view.verdict, view.previous, view.current) == ("no", "breaking", "compatible", True)
    (instead,) = view.instead
    assert (instead.agent, instead.own_skill, instead.chosen) == ("fares", "offer", True)
    assert view.person == "mira"
    assert shown(log, 0).can == "yes"


def test_one_that_cannot_stand_in_says_by_which_rules() -> None:
    broken = {"agent": "meteo", "skill": "quote", "verdict": "breaking", "usable": False, "rules": ["skill-removed"]}
    view = shown(story(), routes=({**ROUTE, "candidates": [*ROUTE["candidates"], broken]},))
    assert [(one.agent, one.rules) for one in view.instead] == [("fares", ()), ("meteo", ("skill-removed",))]


def test_a_decision_that_was_replaced_says_so_and_offers_nobody() -> None:
    log = story()
    first = shown(log, 0, (ROUTE,))
    assert not first.current
    assert first.later == shown(log).id
    assert first.instead == ()


def test_a_finding_carries_its_rules_help_and_since_when() -> None:
    log = story()
    decided(log, "breaking", "stop", "streaming-withdrawn", "skill-removed")
    view = shown(log)
    by_rule = {one.rule: one for one in view.findings}
    assert by_rule["streaming-withdrawn"].first_seen == "2026-11-30T09:00:08Z", "the run of decisions that have it"
    assert by_rule["skill-removed"].first_seen == "2026-11-30T09:00:09Z"
    assert by_rule["skill-removed"].why
    assert by_rule["skill-removed"].do


def test_a_finding_that_went_and_came_again_began_again() -> None:
    log = story()
    decided(log, "compatible", "allow")
    decided(log, "breaking", "stop", "streaming-withdrawn")
    assert shown(log).findings[0].first_seen == "2026-11-30T09:00:10Z"


def test_causes_lead_down_to_the_raw_card() -> None:
    log = story()
    card, profile = log.facts[6], log.facts[7]
    decided(log, "breaking", "stop", "skill-removed", causes=(profile.fact.id, card.fact.id))
    assert [(one.sequence, one.kind, one.card) for one in shown(log).causes] == [
        (7, "card-fetched", 7),
        (8, "profile-compiled", 7),
    ]


def test_what_rests_on_facts_that_are_not_here_is_left_out() -> None:
    log = story()
    finding = Finding(
        rule="no-such-rule", severity="note", subject="s", message="m", evidence=("no id", str(log.facts[1].fact.id))
    )
    told = {"workflow": "trip", "verdict": "compatible", "action": "allow", "findings": (finding,), "lock_digest": LOCK}
    told |= {"valid_from": "2026-11-30T09:00:00Z", "considered_through": 9, "rules_version": "9", "policy_digest": "p"}
    log.tell(ChangeDecided.model_validate({"agent": "pricing", **told}))
    (one,) = shown(log).findings
    assert (one.title, one.evidence) == ("no-such-rule", (2,))


def test_an_acknowledgement_stands_beside_the_finding_it_accepts() -> None:
    log = story()
    log.say("change-acknowledged", workflow="trip", fingerprint="streaming-withdrawn", reason="agreed", by="mira")
    (one,) = shown(log).findings
    assert one.acknowledged is not None
    assert one.acknowledged.by == "mira"


def test_another_principals_facts_change_nothing() -> None:
    log = story()
    before = shown(log).model_copy(update={"through": 0})
    foreign: Stored = decided(log, "compatible", "allow", principal="desk")
    assert foreign.sequence == len(log.facts)
    assert shown(log).model_copy(update={"through": 0}) == before


def test_a_verdict_stands_since_it_began_and_its_newest_decision_has_a_time_of_its_own() -> None:
    log = story()
    began = shown(log).valid_from
    decided(log, "breaking", "stop", "streaming-withdrawn", previous="breaking", cause="acknowledgement")
    view = shown(log)
    assert (view.since, view.action_since) == (began, began)
    assert view.valid_from > began
    decided(log, "compatible", "allow", previous="breaking")
    assert shown(log).since == shown(log).valid_from
