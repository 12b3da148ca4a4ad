"""Messages to owners: told once, silent when acknowledged, harmless whatever a card says."""

import json

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.finding import Finding
from cardtrail.services.notifier.due import fresh_findings
from cardtrail.services.notifier.message import compose, compose_digest, summary

REMOVED = Finding(
    rule="input-mode-removed",
    severity="breaking",
    subject="skills[<!channel>*`x].inputModes",
    before="a",
    after=None,
    message="gone",
    fingerprint="f1",
)
NOTE = Finding(rule="skill-added", severity="note", subject="skills[x]", message="new", fingerprint="f2")


def decided(**changes: object) -> ChangeDecided:
    base = {
        "agent": "pricing",
        "workflow": "trip",
        "verdict": "breaking",
        "action": "stop",
        "valid_from": "2026-11-30T09:00:00Z",
        "considered_through": 5,
        "lock_digest": "",
        "rules_version": "1",
        "policy_digest": "",
        "findings": (REMOVED, NOTE),
    }
    return ChangeDecided.model_validate(base | changes)


def test_a_finding_is_told_once_and_never_when_acknowledged() -> None:
    assert fresh_findings(decided(), frozenset(), frozenset()) == (REMOVED,)
    assert fresh_findings(decided(), frozenset({"f1"}), frozenset()) == ()
    assert fresh_findings(decided(), frozenset(), frozenset({"f1"})) == ()


def test_a_recovery_reads_as_one() -> None:
    back = decided(verdict="compatible", action="allow", findings=(), recovered=True)
    assert summary(back).startswith("✓ recovered")


def test_the_generic_form_is_self_sufficient() -> None:
    body = compose(decided(), "d1", (REMOVED,), "json").body
    assert (body["verdict"], body["action"], body["findings"][0]["rule"]) == ("breaking", "stop", "input-mode-removed")
    json.dumps(body)


def test_card_text_mentions_nobody_in_a_chat() -> None:
    text = compose(decided(), "d1", (REMOVED,), "slack").body["text"]
    assert "<!channel>" not in text
    assert "&lt;!channel&gt;" in text


def test_a_flood_of_findings_is_cut_and_counted() -> None:
    many = tuple(REMOVED.model_copy(update={"fingerprint": str(i), "subject": "x" * 500}) for i in range(50))
    assert compose(decided(), "d", many, "json").body["more"] == 30
    assert len(compose(decided(), "d", many, "slack").body["text"]) <= 2_900


def test_a_digest_is_one_message_that_a_repeat_can_be_recognised_by() -> None:
    entries = tuple((decided(workflow=f"w{n}"), f"d{n}", (REMOVED,)) for n in range(3))
    generic = compose_digest(entries, "json", "2026-11-30")
    assert [one["workflow"] for one in generic.body["notifications"]] == ["w0", "w1", "w2"]
    assert (
        generic.key == compose_digest(entries, "slack", "2026-12-01").key != compose_digest(entries[1:], "json", "").key
    )
    assert "<!channel>" not in compose_digest(entries, "slack", "2026-11-30").body["text"]
