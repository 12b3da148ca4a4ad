"""The rules as a list with facets, and one rule with its documentation. Pure."""

from cardtrail.events.model.value import Value
from cardtrail.services.verdict.rule import Rule
from cardtrail.services.verdict.rules import RULES, RULES_VERSION
from cardtrail.services.web.known import Known


class RuleEntry(Value):
    """A rule: what has happened, why it matters, what to do, its opposite; `open` findings of it stand now."""

    id: str
    severity: str
    title: str
    why: str
    do: str
    mirror: str
    mirrored: bool
    subject: str
    open: int


class RuleView(RuleEntry):
    """The page of one rule."""

    format: str = "cardtrail.page.rule/1"


class RulesView(Value):
    """All rules; `rules_version` changes whenever some card and lock would get another verdict."""

    format: str = "cardtrail.page.rules/1"
    rules_version: str
    rules: tuple[RuleEntry, ...]


def rules_view(known: Known, severity: str = "", subject: str = "") -> RulesView:
    """Every rule, breaking first, or those of one severity or subject."""
    counted: dict[str, int] = {}
    for lock in known.locks:
        for finding in lock["findings"]:
            counted[finding["rule"]] = counted.get(finding["rule"], 0) + 1
    found = [_entry(rule, counted.get(rule.id, 0)) for rule in RULES.values()]
    kept = tuple(one for one in found if severity in {"", one.severity} and subject in {"", one.subject})
    order = ("breaking", "review", "note")
    return RulesView(rules_version=RULES_VERSION, rules=tuple(sorted(kept, key=lambda one: order.index(one.severity))))


def rule_view(known: Known, name: str) -> RuleView | None:
    """One of them, None where there is no such rule."""
    found = next((one for one in rules_view(known).rules if one.id == name), None)
    return RuleView(**found.model_dump()) if found else None


def _entry(rule: Rule, open_findings: int) -> RuleEntry:
    why, _, do = rule.explanation.partition("Do: ")
    return RuleEntry(
        id=rule.id,
        severity=rule.severity,
        title=rule.title,
        why=why.strip(),
        do=do.strip(),
        mirror=rule.mirror,
        mirrored=rule.mirror in RULES,
        subject=rule.id.split("-")[0],
        open=open_findings,
    )
