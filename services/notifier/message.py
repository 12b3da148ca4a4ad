"""What an owner is told: a decision as generic JSON, or as a Slack-compatible message. Pure; card text escaped and capped."""

from typing import Any, Literal

from cardtrail.events.canonical import digest
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.value import Value

_MARKS = {"breaking": "✗", "review": "!", "compatible": "✓"}
_OURS = {
    "tool": " (by another release of ours: the agent did nothing)",
    "policy": " (by our policy: the agent did nothing)",
}
_MOST = 20
_SLACK_TEXT = 2_900


Entry = tuple[ChangeDecided, str, tuple[Finding, ...]]
"""A decision, its id, and its findings not told before."""


class Message(Value):
    """One message: JSON body and the key under which a receiver can recognise a repeat (`Idempotency-Key`)."""

    body: dict[str, Any]
    key: str


def compose(
    decision: ChangeDecided, decision_id: str, fresh: tuple[Finding, ...], kind: Literal["json", "slack"]
) -> Message:
    """The message about a decision; `fresh` are the findings not told before, worst first."""
    body = _slack(decision, fresh) if kind == "slack" else _generic(decision, decision_id, fresh)
    return Message(body=body, key=decision_id)


def compose_digest(entries: tuple[Entry, ...], kind: Literal["json", "slack"], day: str) -> Message:
    """The one message of a day about what disturbs nobody: entries as single messages, or one line each."""
    name = digest([key for _, key, _ in entries])
    if kind == "slack":
        lines = [f"*{len(entries)} changes that could wait ({day})*"]
        lines += [f"• {_plain(summary(event))}: {_rules(fresh)}" for event, _, fresh in entries]
        return Message(body={"text": "\n".join(lines)[:_SLACK_TEXT], "mrkdwn": True}, key=name)
    told = [_generic(event, key, fresh) for event, key, fresh in entries]
    return Message(body={"format": "cardtrail.digest/1", "day": day, "notifications": told}, key=name)


def _rules(fresh: tuple[Finding, ...]) -> str:
    return ", ".join(dict.fromkeys(f"`{finding.rule}`" for finding in fresh[:_MOST]))


def _generic(decision: ChangeDecided, decision_id: str, fresh: tuple[Finding, ...]) -> dict[str, Any]:
    return {
        "format": "cardtrail.notification/1",
        "decision": decision_id,
        "workflow": decision.workflow,
        "agent": decision.agent,
        "principal": decision.principal,
        "owner": decision.owner,
        "verdict": decision.verdict,
        "previous": decision.previous,
        "recovered": decision.recovered,
        "cause": decision.cause,
        "action": decision.action,
        "valid_from": decision.valid_from,
        "findings": [finding.model_dump(mode="json", exclude_defaults=True) for finding in fresh[:_MOST]],
        "more": max(0, len(fresh) - _MOST),
        "summary": summary(decision),
    }


def summary(decision: ChangeDecided) -> str:
    """One line for a person: verdict, who, what follows."""
    mark = _MARKS[decision.verdict]
    pair = f"{decision.workflow} × {decision.agent}"
    ours = _OURS.get(decision.cause, "")
    if decision.recovered:
        return f"{mark} recovered  {pair}: new delegations go on{ours}"
    follows = {"stop": "new delegations stop; running tasks go on", "probe": "the claims are probed again"}
    return f"{mark} {decision.verdict}  {pair}: {follows.get(decision.action, 'nothing stops')}{ours}"


def _slack(decision: ChangeDecided, fresh: tuple[Finding, ...]) -> dict[str, Any]:
    lines = [f"*{_plain(summary(decision))}*"]
    for finding in fresh[:_MOST]:
        change = (
            f" {_plain(_short(finding.before))} → {_plain(_short(finding.after))}"
            if finding.before != finding.after
            else ""
        )
        lines.append(f"• {finding.severity} `{finding.rule}` {_plain(finding.subject)}{change}")
    if len(fresh) > _MOST:
        lines.append(f"… and {len(fresh) - _MOST} more")
    if decision.owner:
        lines.append(f"owner: {_plain(decision.owner)}")
    return {"text": "\n".join(lines)[:_SLACK_TEXT], "mrkdwn": True}


def _short(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 120 else text[:119] + "…"  # noqa: PLR2004 — one line of a chat


def _plain(text: str) -> str:
    """Text that no chat reads as mention, link, code or bold: Slack's three escapes, line breaks gone; `_` may still slant it."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(
        sign if sign.isprintable() else "�" for sign in safe.replace("`", "'").replace("*", "∗").replace("@", "@\u200b")
    )
