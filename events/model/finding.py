"""What was noticed: a `Diagnostic` about one card (lint), a `Finding` about a card against a lock (verdict)."""

from typing import Any, Literal

from cardtrail.events.model.value import Value

Severity = Literal["breaking", "review", "note"]
Verdict = Literal["compatible", "review", "breaking"]
Level = Literal["error", "warning", "info"]


class Diagnostic(Value):
    """A numbered lint finding: code `CT###`, kebab-case name, JSON path, what is wrong and what to do.

    `line` and `column` count from 1 and are 0 where the document gave none.
    """

    code: str
    name: str
    level: Level
    path: str
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0


class Finding(Value):
    """One rule that fired for one workflow × agent × principal.

    `subject` names what changed by its natural key (`skills[quote].inputModes`), never by list index; `path` is its JSON path in
    the card as served, or "" where the member is gone; `before` and `after` are canonical JSON values (None where unknown or
    absent); `needs` is what the lock asks for. `fingerprint` is 64 hex over rule, workflow, agent, principal, subject, before
    and after: never over text, time or rules version.
    """

    rule: str
    severity: Severity
    subject: str
    path: str = ""
    needs: Any = None
    before: Any = None
    after: Any = None
    message: str
    hint: str = ""
    fingerprint: str = ""
    evidence: tuple[str, ...] = ()
    cause: Literal["agent", "tool", "policy", "time"] = "agent"


class Acknowledgement(Value):
    """A person accepted a finding: who, why, until when (RFC 3339, UTC; None = while the same change stands)."""

    fingerprint: str
    actor: str
    reason: str
    until: str | None = None
