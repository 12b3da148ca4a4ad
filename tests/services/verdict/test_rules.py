from pathlib import Path

import pytest

from cardtrail.services.verdict.rules import RULES
from tests.services.verdict.rule_cases import RULE_CASES, expected, judged

CASES = sorted(case for rule in RULE_CASES.iterdir() for case in rule.iterdir())
FOLDER = Path(__file__).parents[3] / "services" / "verdict" / "rules"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_case_gives_exactly_the_expected_findings(case: Path) -> None:
    judgement = judged(case)
    found = sorted({(finding.rule, finding.severity) for finding in judgement.findings})
    assert (judgement.verdict, found) == expected(case), [finding.message for finding in judgement.findings]


@pytest.mark.parametrize("id_", RULES)
def test_every_rule_has_a_firing_and_a_silent_case(id_: str) -> None:
    fires = {id_ in dict(expected(case)[1]) for case in (RULE_CASES / id_).iterdir()}
    assert fires == {True, False}


def test_a_case_is_named_silent_exactly_when_its_rule_is() -> None:
    wrong = [case for case in CASES if case.name.startswith("silent-") == (case.parent.name in dict(expected(case)[1]))]
    assert wrong == []


def test_the_registry_holds_every_file_and_no_case_lacks_its_rule() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("[a-z]*.py")}
    assert files == set(RULES) == {case.parent.name for case in CASES}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_explains_itself_and_says_what_to_do(rule) -> None:  # noqa: ANN001 — a rule
    why, *rest = rule.explanation.split("\n\n")
    assert rule.title
    assert len(rule.title) < 120
    assert why
    assert rest[-1].startswith("Do: ")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_names_its_mirror_or_says_why_it_has_none(rule) -> None:  # noqa: ANN001 — a rule
    assert rule.mirror in RULES or len(rule.mirror.split()) > 3
    assert rule.mirror != rule.id


def test_breaking_comes_before_review_before_note_in_the_registry() -> None:
    order = [rule.severity for rule in RULES.values()]
    assert order == sorted(order, key=["breaking", "review", "note"].index)
