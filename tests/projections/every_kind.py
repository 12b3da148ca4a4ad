"""One fact of each kind there is, members mostly at their defaults."""

from typing import Any

from cardtrail.events import EVENTS, Stored
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Identity, Profile
from tests.projections.log import Log

_ID = "0190f0a0-0000-7000-8000-000000000001"
_LOCK = Lockfile(agent="pricing", interface=LockedInterface(binding="JSONRPC", version="1.0"), requires=Requires())
_MEMBERS: dict[str, dict[str, Any]] = {
    "agent-tracked": {"target": {"kind": "domain", "value": "p.example"}},
    "agent-untracked": {},
    "registry-scanned": {"registry": "r", "complete": True},
    "card-fetched": {"semantic_digest": "a"},
    "card-refused": {"stage": "parse", "reason": "not-json"},
    "profile-compiled": {
        "card": _ID,
        "card_sequence": 1,
        "card_digest": "c",
        "profile": Profile(usable=False),
        "profile_digest": "p",
        "identity": Identity(),
        "identity_digest": "i",
        "compiler_version": "1",
        "client_digest": "k",
    },
    "probe-started": {"probe": "p", "claim": {"kind": "streaming"}},
    "probe-recorded": {"probe": "p", "claim": {"kind": "streaming"}, "outcome": "held", "profile_digest": "p"},
    "runtime-error-observed": {"workflow": "trip", "operation": "o", "error": "e", "profile_digest": "p"},
    "calls-counted": {"workflow": "trip", "operation": "o", "minute": "2026-11-30T08:00:00Z", "calls": 1},
    "lockfile-pinned": {"workflow": "trip", "lockfile": _LOCK, "lock_digest": "l"},
    "lockfile-released": {"workflow": "trip"},
    "change-decided": {
        "workflow": "trip",
        "verdict": "compatible",
        "action": "allow",
        "valid_from": "2026-11-30T08:00:00Z",
        "considered_through": 1,
        "lock_digest": "l",
        "rules_version": "1",
        "policy_digest": "p",
    },
    "change-acknowledged": {"workflow": "trip", "fingerprint": "f", "reason": "known", "by": "mira"},
    "policy-declared": {"policy": Policy(), "digest": "p"},
    "deadline-passed": {"what": "grace", "due": "2026-11-30T08:00:00Z"},
    "owner-notified": {"workflow": "trip", "decision": _ID, "channel": "c"},
    "body-redacted": {"raw_digest": "r", "reason": "asked", "by": "ops"},
    "checkpoint-signed": {"origin": "o", "size": 1, "through": 1, "root": "r", "note": "n"},
}


def one_of_each() -> list[Stored]:
    """In an order in which no two kinds presuppose each other; a kind that is missing here fails by its name."""
    log = Log()
    for kind, event in EVENTS.items():
        about = {"agent": "pricing"} if "agent" in event.model_fields else {}
        log.tell(event.model_validate(about | _MEMBERS[kind]))
    return log.facts
