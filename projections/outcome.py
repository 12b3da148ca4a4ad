"""Each fact in two words, for columns and lists: what came of it, and about what."""

from cardtrail.events.agent_tracked import AgentTracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.change_acknowledged import ChangeAcknowledged
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.events.fact import Event
from cardtrail.events.model.evidence import Claim
from cardtrail.events.owner_notified import OwnerNotified
from cardtrail.events.probe_recorded import ProbeRecorded, ProbeStarted
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.events.registry_scanned import RegistryScanned
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved


def outcome(event: Event) -> tuple[str, str]:  # noqa: C901, PLR0911, PLR0912 — one case for each kind of fact
    """(outcome, detail) in the words of its kind; both "" where a kind has none."""
    match event:
        case CardFetched():
            return ("answered" if event.same_as is None else "unchanged"), event.signature.outcome
        case CardRefused():
            return event.reason, event.stage
        case ProfileCompiled():
            return ("usable" if event.profile.usable else "unusable"), event.cause
        case ProbeStarted():
            return "", _claim(event.claim)
        case ProbeRecorded():
            return event.outcome, _claim(event.claim)
        case RuntimeErrorObserved():
            return event.error, event.operation
        case CallsCounted():
            return "", event.operation
        case ChangeDecided():
            return event.verdict, event.action
        case ChangeAcknowledged():
            return "", event.fingerprint
        case DeadlinePassed():
            return event.what, event.due
        case OwnerNotified():
            return event.problem, event.channel
        case RegistryScanned():
            return ("complete" if event.complete else event.problem or "partial"), event.registry
        case AgentTracked():
            return event.source_kind, event.target.value
        case _:
            return "", ""


def _claim(claim: Claim) -> str:
    return " ".join(part for part in (claim.kind, claim.skill, claim.value) if part)
