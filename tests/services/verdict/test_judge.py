import json

import pytest

from cardtrail.events.model.evidence import Claim, Evidence
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.verdict.judge import LARGEST_VALUE, MOST_PER_RULE, fingerprint, judge
from cardtrail.services.verdict.rules import RULES
from cardtrail.services.verdict.view import Baseline, ContradictingCalls, Judgement, Observed
from tests.services.verdict.cards import CARD, POLICY, changed, encoded
from tests.services.verdict.rule_cases import NOW, seen

LOCK = Lockfile.model_validate_json(
    json.dumps(
        {
            "workflow": "trip-planner",
            "agent": "https://pricing.partner.example/.well-known/agent-card.json",
            "agent_version": "3.2.0",
            "interface": {"binding": "JSONRPC", "version": "1.0"},
            "requires": {
                "streaming": True,
                "skills": {"itinerary-pricing": {"input": ["application/json"], "scopes": ["pricing.quote"]}},
            },
        }
    )
)
BEFORE = seen(encoded(CARD), POLICY)
BASELINE = Baseline(profile=BEFORE["profile"], identity=BEFORE["identity"], texts_digest=BEFORE["texts_digest"])


def said(changes: dict[str, object], lock: Lockfile = LOCK, **known: object) -> Judgement:
    observed = Observed(**seen(encoded(changed(changes)), POLICY), **known)
    return judge(lock, BASELINE, observed, POLICY, NOW)


def test_a_finding_says_needs_before_after_and_where_in_the_new_card() -> None:
    (finding,) = said({"skills/0/inputModes": ["application/pdf"]}).findings[:1]
    assert (finding.rule, finding.severity) == ("input-mode-removed", "breaking")
    assert (finding.subject, finding.path) == ("skills[itinerary-pricing].inputModes", "$.skills[0].inputModes")
    assert (finding.needs, finding.before, finding.after) == (
        ["application/json"],
        ["application/json"],
        ["application/pdf"],
    )
    assert len(finding.fingerprint) == 64


def test_worse_findings_come_first() -> None:
    changes = {
        "skills/0/inputModes": ["application/pdf"],
        "version": "4.0.0",
        "description": "d",
        "capabilities/streaming": False,
    }
    severities = [finding.severity for finding in said(changes).findings]
    assert severities == sorted(severities, key=["breaking", "review", "note"].index)
    assert set(severities) == {"breaking", "review", "note"}


def test_the_locks_severity_outranks_the_policys_and_null_turns_a_rule_off() -> None:
    policy = POLICY.model_copy(update={"severities": {"agent-version-changed": "note", "skill-added": "review"}})
    lock = LOCK.model_copy(update={"severities": {"agent-version-changed": "breaking", "card-text-changed": None}})
    observed = Observed(
        **seen(encoded(changed({"version": "4.0.0", "description": "d", "skills/+": {"id": "x"}})), policy)
    )
    judgement = judge(lock, BASELINE, observed, policy, NOW)
    assert [(one.rule, one.severity) for one in judgement.findings] == [
        ("agent-version-changed", "breaking"),
        ("skill-added", "review"),
    ]
    assert judgement.action == "stop"


def test_without_a_start_the_silent_rules_are_named() -> None:
    judgement = judge(LOCK, Baseline(), Observed(**BEFORE), POLICY, NOW)
    assert judgement.verdict == "compatible"
    assert "tenant-changed" in judgement.unjudged
    assert "skill-removed" not in judgement.unjudged
    assert said({}).unjudged == ()


def test_the_baseline_in_the_lock_outranks_the_one_that_is_given() -> None:
    own = Baseline(profile=BEFORE["profile"].model_copy(update={"push": True}))
    lock = LOCK.model_copy(update={"baseline": own.model_dump(mode="json", exclude_defaults=True)})
    judgement = judge(lock, BASELINE, Observed(**BEFORE), POLICY, NOW)
    assert [finding.rule for finding in judgement.findings] == ["unneeded-capability-withdrawn"]


def test_a_fingerprint_depends_on_the_change_and_on_whom_it_concerns_alone() -> None:
    finding = said({"version": "4.0.0"}).findings[0]
    told = finding.model_copy(update={"message": "x", "hint": "y", "severity": "note", "path": "$.z", "cause": "tool"})
    assert fingerprint(LOCK, told) == finding.fingerprint
    assert fingerprint(LOCK.model_copy(update={"workflow": "other"}), finding) != finding.fingerprint
    assert fingerprint(LOCK, finding.model_copy(update={"after": "4.0.1"})) != finding.fingerprint


def test_a_change_keeps_its_fingerprint_while_other_things_change() -> None:
    first = said({"skills/0": changed({})["skills"][1] | {"id": "other"}}).findings[0]
    second = said({"skills/0": changed({})["skills"][1] | {"id": "another"}, "version": "9.0.0"}).findings[0]
    assert first.rule == second.rule == "skill-removed"
    assert first.fingerprint == second.fingerprint


def test_thousands_of_findings_and_huge_values_stay_small() -> None:
    params = {"table": ["x" * 100] * 1000}
    before = seen(encoded(changed({"capabilities/extensions": [{"uri": "u", "params": {"table": []}}]})), POLICY)
    many = [{"id": f"s{number}", "name": "n", "tags": ["t"]} for number in range(3000)]
    after = changed({"capabilities/extensions": [{"uri": "u", "params": params}], "skills": [*CARD["skills"], *many]})
    baseline = Baseline(profile=before["profile"], identity=before["identity"])
    judgement = judge(LOCK, baseline, Observed(**seen(encoded(after), POLICY)), POLICY, NOW)
    added = [finding for finding in judgement.findings if finding.rule == "skill-added"]
    assert len(added) == MOST_PER_RULE + 1
    assert added[-1].message == f"{3000 - MOST_PER_RULE} more findings of this rule"
    assert max(len(finding.model_dump_json()) for finding in judgement.findings) < 2 * LARGEST_VALUE


def test_numbers_that_no_canonical_form_holds_are_fingerprinted_all_the_same() -> None:
    before = seen(encoded(changed({"capabilities/extensions": [{"uri": "u", "params": {"n": 2**60}}]})), POLICY)
    after = changed({"capabilities/extensions": [{"uri": "u", "params": {"n": 2**61}}]})
    baseline = Baseline(profile=before["profile"], identity=before["identity"])
    judgement = judge(LOCK, baseline, Observed(**seen(encoded(after), POLICY)), POLICY, NOW)
    assert [finding.rule for finding in judgement.findings] == ["extension-params-changed"]


def test_text_of_the_card_in_a_message_is_visible_and_capped() -> None:
    name = "x\u202e\u001b[2J" * 500
    judgement = said({"skills/0/outputModes": ["application/json"], "capabilities/extensions": [{"uri": name}]})
    message = next(finding.message for finding in judgement.findings if finding.rule == "optional-extension-added")
    assert message.isprintable()
    assert len(message) <= 600


def test_one_report_degrades_an_operation_and_stops_nothing() -> None:
    judgement = said({}, runtime=(ContradictingCalls(claim_kind="streaming", contradicting=1, calls=9),))
    assert (judgement.verdict, judgement.action, judgement.degraded) == ("compatible", "allow-degraded", ("streaming",))


def test_an_operation_that_is_not_needed_is_degraded_when_a_probe_contradicts_it() -> None:
    probe = Evidence(
        claim=Claim(kind="push"), outcome="contradicted", at="2026-10-31T00:00:00Z", profile_digest="sha256:0"
    )
    judgement = said({"capabilities/pushNotifications": True}, evidence=(probe,))
    assert (judgement.verdict, judgement.action, judgement.degraded) == ("compatible", "allow-degraded", ("push",))


def test_nothing_observed_yet_is_a_review_and_not_a_pass() -> None:
    judgement = judge(LOCK, Baseline(), Observed(), POLICY, NOW)
    assert (judgement.verdict, judgement.findings[0].rule) == ("review", "card-unreadable")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_is_silent_where_nothing_changed_and_where_nothing_is_known(rule) -> None:  # noqa: ANN001 — a rule
    assert rule.id not in {finding.rule for finding in said({}).findings}
    unknown = judge(LOCK, Baseline(), Observed(**BEFORE), POLICY, NOW)
    assert rule.id not in {finding.rule for finding in unknown.findings}
