"""The verdict rules as every door shows them: documentation, words to find them by, the severity in force and who set it."""

from typing import NamedTuple

from cardtrail.events.model.finding import Severity
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import Policy
from cardtrail.services.cli.formats.report import Level, RuleDoc
from cardtrail.services.verdict.judge import severity_of
from cardtrail.services.verdict.rule import Rule
from cardtrail.services.verdict.rules import RULES

LEVELS: dict[str, Level] = {"breaking": "error", "review": "warning", "note": "note"}


class InForce(NamedTuple):
    """A rule with its severity in force (None = off) and who set it: default, lock or policy."""

    rule: Rule
    severity: Severity | None
    set_by: str


def rules_in_force(lock: Lockfile | None, policy: Policy) -> tuple[InForce, ...]:
    """Every rule under one lock and policy; without a lock under the policy alone."""
    return tuple(InForce(rule, _severity(rule, lock, policy), _set_by(rule, lock, policy)) for rule in RULES.values())


def rule_docs() -> dict[str, RuleDoc]:
    """What each rule says about itself."""
    return {rule.id: rule_doc(rule) for rule in RULES.values()}


def rule_doc(rule: Rule) -> RuleDoc:
    """One rule's documentation."""
    level = LEVELS[rule.severity]
    return RuleDoc(rule.id, level, rule.severity, rule.title, rule.explanation, tags(rule))


def tags(rule: Rule) -> tuple[str, ...]:
    """What `rules --tag` finds a rule by: its subject (the first word of its id) and its default severity."""
    return rule.id.split("-")[0], rule.severity


def _severity(rule: Rule, lock: Lockfile | None, policy: Policy) -> Severity | None:
    return severity_of(rule, lock, policy) if lock else policy.severities.get(rule.id, rule.severity)


def _set_by(rule: Rule, lock: Lockfile | None, policy: Policy) -> str:
    if lock is not None and rule.id in lock.severities:
        return "lock"
    return "policy" if rule.id in policy.severities else "default"
