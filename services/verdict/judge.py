"""The judge: every rule over one lock, findings with fingerprints, the verdict and what follows for new delegations."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from cardtrail.events.canonical import canonical, raw_digest
from cardtrail.events.change_decided import Action
from cardtrail.events.errors import InputRefused
from cardtrail.events.model.finding import Finding, Severity, Verdict
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import Policy
from cardtrail.services.card.paths import visible
from cardtrail.services.verdict.claims import degraded_operations
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.rules import RULES
from cardtrail.services.verdict.view import Baseline, Judgement, Observed, View

MOST_PER_RULE = 50
LONGEST_MESSAGE = 600
"""Characters; messages and hints quote names and URLs of the card, with what cannot be seen escaped."""
LARGEST_VALUE = 2048
"""Bytes of canonical JSON that a finding carries of one value; a larger one is named by its digest."""

_ORDER: dict[Severity, int] = {"breaking": 0, "review": 1, "note": 2}
_VERDICTS: dict[Severity, Verdict] = {"breaking": "breaking", "review": "review", "note": "compatible"}
_ACTIONS: dict[Verdict, Action] = {"compatible": "allow", "review": "probe", "breaking": "stop"}


def judge(lock: Lockfile, baseline: Baseline, observed: Observed, policy: Policy, now: datetime) -> Judgement:
    """The verdict about one lock; the same arguments give the same judgement.

    `baseline` is what was in force when the lock was pinned; the baseline that the lock itself carries outranks it.
    """
    view = View(lock, baseline_of(lock) or baseline, observed, policy, now)
    findings: list[Finding] = []
    unjudged = []
    for rule in RULES.values():
        severity = severity_of(rule, lock, policy)
        if severity is None:
            continue
        found = list(_findings(rule, severity, view))
        findings += found
        if not found and rule.rests_on is not None and not view.knows(rule.rests_on):
            unjudged.append(rule.id)
    findings.sort(key=lambda finding: _ORDER[finding.severity])
    verdict = _VERDICTS[findings[0].severity] if findings else "compatible"
    degraded = degraded_operations(view)
    action: Action = "allow-degraded" if verdict == "compatible" and degraded else _ACTIONS[verdict]
    return Judgement(
        verdict=verdict, findings=tuple(findings), action=action, degraded=degraded, unjudged=tuple(unjudged)
    )


def baseline_of(lock: Lockfile) -> Baseline | None:
    """The baseline that the lock carries, None where it carries none that this release can read."""
    if lock.baseline is None:
        return None
    try:
        return Baseline.model_validate_json(json.dumps(lock.baseline))
    except ValidationError:
        return None


def severity_of(rule: Rule, lock: Lockfile, policy: Policy) -> Severity | None:
    """The severity in force: the lock's word, else the policy's, else the rule's own; None = the rule is off."""
    for severities in (lock.severities, policy.severities):
        if rule.id in severities:
            return severities[rule.id]
    return rule.severity


def fingerprint(lock: Lockfile, finding: Finding) -> str:
    """64 hex over rule, workflow, agent, principal, subject, before and after; nothing else ever enters."""
    who = (lock.workflow, lock.agent, lock.principal)
    return _digest([finding.rule, *who, finding.subject, finding.before, finding.after]).removeprefix("sha256:")


def _findings(rule: Rule, severity: Severity, view: View) -> Iterator[Finding]:
    noticed = list(rule.check(view))
    for one in noticed[:MOST_PER_RULE]:
        yield _finding(rule, severity, view, one)
    rest = noticed[MOST_PER_RULE:]
    if rest:
        subjects = _digest(sorted(one.subject for one in rest))
        more = Noticed(f"{len(rest)} more", f"{len(rest)} more findings of this rule", after=subjects)
        yield _finding(rule, severity, view, more)


def _finding(rule: Rule, severity: Severity, view: View, one: Noticed) -> Finding:
    finding = Finding(
        rule=rule.id,
        severity=severity,
        subject=one.subject,
        path=one.path or (view.path(one.member) if one.member else ""),
        needs=_bounded(one.needs),
        before=_bounded(one.before),
        after=_bounded(one.after),
        message=visible(one.message)[:LONGEST_MESSAGE],
        hint=visible(one.hint)[:LONGEST_MESSAGE],
        evidence=one.evidence,
        cause=one.cause,
    )
    return finding.model_copy(update={"fingerprint": fingerprint(view.lock, finding)})


def _bounded(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    if value is None or isinstance(value, bool | int):
        return value
    data = _stable(value)
    return value if len(data) <= LARGEST_VALUE else {"digest": raw_digest(data), "bytes": len(data)}


def _digest(value: object) -> str:
    return raw_digest(_stable(value))


def _stable(value: object) -> bytes:
    try:
        return canonical(value)
    except InputRefused:  # a number in an extension's params that RFC 8785 has no form for
        return json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
