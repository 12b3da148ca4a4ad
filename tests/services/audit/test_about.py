"""Every rule's finding names what changed, by the names under which it is blamed."""

import json
from pathlib import Path

import pytest

from cardtrail.events.model.policy import Policy
from cardtrail.projections.capabilities import capabilities
from cardtrail.services.audit.about import names
from tests.services.verdict.rule_cases import RULE_CASES, judged, seen

NAMELESS = ("card", "texts[")
"""The card as a whole and its texts are no capabilities; a tested claim is not said by the card."""


def changed(case: Path) -> set[str]:
    """The capabilities in which the two cards of a case differ."""
    observed = case / "observed.json"
    extra = json.loads(observed.read_text("utf-8")) if observed.exists() else {}
    policy = Policy.model_validate_json(json.dumps(extra.get("policy", {})))
    sides = [
        seen((case / f"{side}.json").read_bytes(), policy, extra.get(f"{side}_signature"))
        for side in ("before", "after")
    ]
    old, new = (capabilities(side["profile"], side["identity"]) for side in sides)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def test_a_finding_about_a_change_names_a_capability_that_changed() -> None:
    seen_rules = set()
    for case in sorted(RULE_CASES.glob("*/*")):
        differing = changed(case)
        for one in judged(case).findings if differing else ():
            if one.severity != "note" and not one.subject.startswith(NAMELESS):
                assert any(names(one.subject, name) for name in differing), (case, one.subject, differing)
                seen_rules.add(one.rule)
    assert len(seen_rules) > 20


@pytest.mark.parametrize(
    ("subject", "capability"),
    [
        ("skills[quote].inputModes", "skills.quote.output"),
        ("skills[quote]", "skills.quote2.input"),
        ("capabilities.streaming", "push"),
        ("security", "streaming"),
        ("card", "streaming"),
        ("streaming", "streaming"),
        ("interfaces[JSONRPC 1.0]", "interface.url"),
    ],
)
def test_a_finding_about_something_else_names_it_not(subject: str, capability: str) -> None:
    assert not names(subject, capability)
