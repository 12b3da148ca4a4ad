"""What a refused card means for whoever relies on the agent: one classification for every door, live, on a page or at a prompt.

`unreadable`: the agent answered with something that is no card, or leads where nobody may follow; `unreachable`: no answer that
says anything of a card; `signature`: a card that verification refuses. Pure.
"""

from typing import Literal

from cardtrail.events.card_refused import CardRefused

TroubleKind = Literal["unreadable", "unreachable", "signature"]

_BEFORE_ITS_STATUS = frozenset({"protocol-broken", "headers-too-large"})
"""Answers that are cut before their status is known, and are answers all the same."""


def trouble_kind(event: CardRefused) -> TroubleKind:
    """The kind of one refusal; a fault of the network or of ours says nothing of the card, whatever had come by then."""
    if event.fault != "provider":
        return "unreachable"
    if event.stage == "verify":
        return "signature"
    if event.stage in {"parse", "validate"}:
        return "unreadable"
    answered = 200 <= event.status < 400 or (event.status == 0 and event.reason in _BEFORE_ITS_STATUS)  # noqa: PLR2004 — success and redirection (RFC 9110 §15)
    return "unreadable" if answered and event.stage in {"fetch", "policy"} else "unreachable"
