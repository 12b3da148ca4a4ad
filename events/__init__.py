"""What happened. Pure: imports nothing of ours, does no I/O, holds no clock.

The `Event` registry below is the list of everything that can be told: one line per event.
"""

from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked
from cardtrail.events.body_redacted import BodyRedacted
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.change_acknowledged import ChangeAcknowledged
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.checkpoint_signed import CheckpointSigned
from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.events.fact import AgentEvent, Event, Fact, Stored, derived_id, encode, observation_id
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.owner_notified import OwnerNotified
from cardtrail.events.policy_declared import PolicyDeclared
from cardtrail.events.probe_recorded import ProbeRecorded, ProbeStarted
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.events.registry_scanned import RegistryScanned
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved

_ALL: tuple[type[Event], ...] = (
    AgentTracked,
    AgentUntracked,
    RegistryScanned,
    CardFetched,
    CardRefused,
    ProfileCompiled,
    ProbeStarted,
    ProbeRecorded,
    RuntimeErrorObserved,
    CallsCounted,
    LockfilePinned,
    LockfileReleased,
    ChangeDecided,
    ChangeAcknowledged,
    PolicyDeclared,
    DeadlinePassed,
    OwnerNotified,
    BodyRedacted,
    CheckpointSigned,
)
EVENTS: dict[str, type[Event]] = {event.kind: event for event in _ALL}

__all__ = [
    "EVENTS",
    "AgentEvent",
    "AgentTracked",
    "AgentUntracked",
    "BodyRedacted",
    "CallsCounted",
    "CardFetched",
    "CardRefused",
    "ChangeAcknowledged",
    "ChangeDecided",
    "CheckpointSigned",
    "DeadlinePassed",
    "Event",
    "Fact",
    "LockfilePinned",
    "LockfileReleased",
    "OwnerNotified",
    "PolicyDeclared",
    "ProbeRecorded",
    "ProbeStarted",
    "ProfileCompiled",
    "RegistryScanned",
    "RuntimeErrorObserved",
    "Stored",
    "derived_id",
    "encode",
    "observation_id",
]
