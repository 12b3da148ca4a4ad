"""Every oddity that a lock can be accepted with, as `cardtrail rules CL001` explains it; numbers and names are never reused."""

from cardtrail.services.card.catalogue import Rule

_RULES = (
    Rule("CL001", "digest-not-checkable", "warning", "a digest is missing, or is not sha256: and 64 hex digits",
         "pin again to have it checked", "Without it nobody can say later which card the workflow was pinned to."),
    Rule("CL002", "rule-unknown", "warning", '"stream-withdrawn" is no rule of this release', "did you mean streaming-withdrawn?",
         "A severity for a rule that does not exist changes nothing."),
    Rule("CL003", "digest-contradicted", "warning", "profile_digest is not that of the lock's own baseline",
         "pin again to have it checked", "One of the two was edited by hand, or by another release."),
    Rule("CL004", "card-not-the-one-pinned", "info", "card_digest is not this card's, and nothing that is judged differs",
         "pin again to have it checked", "The card is served with other bytes, or the digest was edited in the lock."),
    Rule("CL005", "member-never-met", "warning", '"jsonrpc" is no known binding', 'did you mean "JSONRPC"?',
         "What is written so no card can meet: the lock would fail, or pass, for ever."),
)  # fmt: skip

DOUBTS: dict[str, Rule] = {rule.code: rule for rule in _RULES}
