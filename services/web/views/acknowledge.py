"""Accepting a finding: what will be told, as a page to confirm and as the command that does the same. Pure."""

import shlex
from datetime import datetime

from cardtrail.events import ChangeAcknowledged
from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Row
from cardtrail.services.cli.formats.words import FINGERPRINT
from cardtrail.services.web.asked import moment
from cardtrail.services.web.known import Known

_REASON, _BY = 500, 100


class AcknowledgeView(Value):
    """The page to confirm: the finding, who accepts it, why, until when; `problem` says what is missing, "" when nothing is."""

    format: str = "cardtrail.page.acknowledge/1"
    fingerprint: str
    agent: str
    workflow: str
    principal: str
    rule: str
    severity: str
    message: str
    decision: str
    reason: str
    until: str
    by: str
    command: str
    problem: str
    read_only: bool


def acknowledge_view(known: Known, said: dict[str, str], now: datetime, *, read_only: bool) -> AcknowledgeView:
    """From what a person typed: `fingerprint`, `reason`, `until`, `by`.

    Raises:
        UsageError: `fingerprint-unknown`.
    """
    lock, finding = _found(known, said.get("fingerprint", ""))
    until, problem = _until(said.get("until", ""), now)
    reason, by = said.get("reason", "")[:_REASON], said.get("by", "")[:_BY]
    problem = problem or ("" if reason else "a reason is needed") or ("" if by else "who accepts it is needed")
    return AcknowledgeView(
        fingerprint=finding["fingerprint"],
        agent=lock["agent"],
        workflow=lock["workflow"],
        principal=known.principal,
        rule=finding["rule"],
        severity=finding["severity"],
        message=finding["message"],
        decision=lock["decision"] or "",
        reason=reason,
        until=until,
        by=by,
        command=_command(finding["fingerprint"], lock["workflow"], reason, until, by),
        problem=problem,
        read_only=read_only,
    )


def acknowledged(view: AcknowledgeView) -> ChangeAcknowledged:
    """The event to tell."""
    return ChangeAcknowledged(
        agent=view.agent,
        principal=view.principal,
        workflow=view.workflow,
        fingerprint=view.fingerprint,
        reason=view.reason,
        until=view.until or None,
        by=view.by,
    )


def _found(known: Known, fingerprint: str) -> tuple[Row, Row]:
    for lock in known.locks:
        for finding in lock["findings"]:
            if finding["fingerprint"] == fingerprint:
                return lock, finding
    raise UsageError("fingerprint-unknown", "no open finding has this fingerprint", hint="it may have ended meanwhile")


def _until(text: str, now: datetime) -> tuple[str, str]:
    if not text:
        return "", ""
    try:
        at = moment(text)
    except UsageError as error:
        return "", error.message
    return (instant(at), "") if at > now else ("", f"{instant(at)} has passed")


def _command(fingerprint: str, workflow: str, reason: str, until: str, by: str) -> str:
    words = ["cardtrail", "ack", fingerprint[:FINGERPRINT], "--workflow", workflow, "--reason", reason or "WHY"]
    return shlex.join([*words, *(("--until", until) if until else ()), *(("--by", by) if by else ())])
