"""`cardtrail pin --json`."""

from typing import Any, Literal

from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.value import Value


class LockChange(Value):
    """A member of the lock that got another value, why, and what shows it: findings (fingerprint, place in the card), facts."""

    path: str
    before: Any
    after: Any
    reason: str
    evidence: tuple[str, ...] = ()


class PinOutput(Value):
    """`cardtrail pin CARD --json`: the lockfile proposed, as it is written; `file` where it was.

    `patch` (unified diff) and `changes` are against the lock that is renewed; `unmet` are needs that the card no longer meets and
    that stay: `after` is what would be left of each. `findings` are about endpoints and credential hosts of the card, to be
    read before they are pinned.
    """

    format: Literal["cardtrail.pin/1"]
    lockfile: dict[str, Any]
    file: str | None
    patch: str | None
    changes: tuple[LockChange, ...]
    unmet: tuple[LockChange, ...] = ()
    findings: tuple[Diagnostic, ...]


OUTPUTS: tuple[type[Value], ...] = (PinOutput,)
