"""Where a fact is told: event ↔ subject, with a reversible token encoding (bodies and live subjects too).

`cardtrail.events.<shard>.<agent>.<principal>.<kind>.<key>`, `cardtrail.decisions.<workflow>.<agent>` and
`cardtrail.ledger.<kind>`; a token is the plain word, else `=XX` per byte; over 128 bytes a hash (the full id is in the payload).
"""

import hashlib
import re

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import AgentEvent, Event
from cardtrail.events.model.evidence import Claim

ALL = "cardtrail.>"
FACT_SUBJECTS = ("cardtrail.events.>", "cardtrail.decisions.>", "cardtrail.ledger.>")
LIVE_DECISIONS = "cardtrail.live.decisions"
LIVE_ALIVE = "cardtrail.live.alive"
BODIES = "cardtrail.bodies"
REPORTS = "cardtrail.reports"
_PLAIN = re.compile(rb"[A-Za-z0-9_-]")
_LONGEST = 128
_HASHED = "=h"


def token(text: str) -> str:
    """One subject token (also a KV key part) for any text; never empty, never a wildcard."""
    data = text.encode("utf-8", "surrogatepass")
    encoded = "".join(chr(byte) if _PLAIN.match(bytes((byte,))) else f"={byte:02X}" for byte in data) or "="
    if len(encoded) > _LONGEST:
        return _HASHED + hashlib.sha256(data).hexdigest()
    return encoded


def untoken(encoded: str) -> str | None:
    """The text behind a token, None where it was long and only its hash is left."""
    if encoded.startswith(_HASHED):
        return None
    if encoded == "=":
        return ""
    raw = re.sub(rb"=([0-9A-F]{2})", lambda match: bytes((int(match[1], 16),)), encoded.encode())
    return raw.decode("utf-8", "surrogatepass")


def shard(agent: str) -> str:
    """One hex digit of sha256(agent): the unit of sharing work."""
    return hashlib.sha256(agent.encode("utf-8", "surrogatepass")).hexdigest()[0]


def subject(event: Event) -> str:
    """The subject on which an event is told."""
    if isinstance(event, ChangeDecided):
        return f"cardtrail.decisions.{token(event.workflow)}.{token(event.agent)}"
    if isinstance(event, AgentEvent):
        return ".".join(
            (
                "cardtrail.events",
                shard(event.agent),
                token(event.agent),
                token(event.principal),
                event.kind,
                _key(event),
            )
        )
    return f"cardtrail.ledger.{event.kind}"


def body_subject(agent: str, principal: str, raw_digest: str) -> str:
    """Where a card's body lies: one subject per agent, principal and digest."""
    return f"{BODIES}.{token(agent)}.{token(principal)}.{raw_digest.removeprefix('sha256:')}"


def _key(event: AgentEvent) -> str:
    workflow = getattr(event, "workflow", "")
    if workflow:
        return token(workflow)
    claim = getattr(event, "claim", None)
    if isinstance(claim, Claim):
        return token("/".join(part for part in (claim.kind, claim.skill, claim.value) if part))
    return "-"
