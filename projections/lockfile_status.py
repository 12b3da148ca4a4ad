"""Where each lock stands: verdict, open findings, since when, acknowledged by whom.

`lockfile_status` (principal, workflow, agent): `lock_digest`, `owner`, `channel`, `person`, `candidate_of`, `requires`,
`pinned_at`, `pinned_by`; `verdict` (`pending` until the first decision about this very lock, and while nobody watches the
agent), `action` (None while pending), `degraded`, `since` (when this verdict began), `valid_from`, `decision` (fact id),
`judged_through` (sequence), `profile_digest`, `agent_version`, `rules_version`, `policy_digest`, `cause`; `findings` as
decided, each with `since` and `acknowledged` (`by`, `reason`, `until`, `at`) or None; `evidence_at`, the newest attempt that
showed whether a needed claim holds; `watched`, the agent's name in the log, where its lock calls it otherwise. RFC 3339 UTC.

`findings_before` (same key): what stood when a lock was pinned anew, until the first decision about the new pin: a finding that
stands on is the same finding, with its beginning and what a person said of it.
"""

from cardtrail.events.agent_tracked import AgentUntracked
from cardtrail.events.change_acknowledged import ChangeAcknowledged
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.events.fact import AgentEvent, Stored, instant
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.model.evidence import Claim
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.projections import locks
from cardtrail.projections.instants import end_of
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Key, Row, Rows, Table

LOCKFILE_STATUS = Table("lockfile_status", key=("principal", "workflow", "agent"))
FINDINGS_BEFORE = Table("findings_before", key=("principal", "workflow", "agent"), shown=False)
_DECIDED = (
    "verdict",
    "action",
    "degraded",
    "valid_from",
    "profile_digest",
    "agent_version",
    "rules_version",
    "policy_digest",
    "cause",
)
_HEARD = frozenset(
    event.kind
    for event in (
        LockfilePinned,
        LockfileReleased,
        ChangeDecided,
        ChangeAcknowledged,
        DeadlinePassed,
        ProbeRecorded,
        AgentUntracked,
    )
)


class LockfileStatus:
    """The fold over pins, decisions and acknowledgements."""

    name = "lockfile_status"
    hears = _HEARD

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Change where a lock stands by one fact; a late one changes nothing."""
        event = stored.fact.data
        if event.kind not in _HEARD or late(stored, rows):
            return
        match event:
            case LockfilePinned():
                locks.pinned(event, rows)
                _keep_findings(event, rows)
                rows.put(LOCKFILE_STATUS.name, _key(event), _pending(stored, event))
            case LockfileReleased():
                locks.released(event, (rows.get(LOCKFILE_STATUS.name, _key(event)) or {}).get("watched", ""), rows)
                for table in (LOCKFILE_STATUS, FINDINGS_BEFORE):
                    rows.delete(table.name, _key(event))
            case ChangeDecided():
                _decided(stored, event, rows)
            case ChangeAcknowledged():
                _accepted(stored, event, rows)
            case DeadlinePassed(what="acknowledgement"):
                _acknowledge(event, event.fingerprint, None, rows)
            case ProbeRecorded():
                _tried(stored, event, rows)
            case AgentUntracked():
                _untracked(stored, event, rows)
            case _:
                pass


def _keep_findings(event: LockfilePinned, rows: Rows) -> None:
    held = rows.get(LOCKFILE_STATUS.name, _key(event))
    if held is not None and held["findings"]:
        rows.put(FINDINGS_BEFORE.name, _key(event), {"findings": held["findings"]})


def _pending(stored: Stored, event: LockfilePinned) -> Row:
    lock = event.lockfile
    row: Row = {"workflow": event.workflow, "agent": event.agent, "principal": event.principal}
    row |= {"lock_digest": event.lock_digest, "candidate_of": event.candidate_of, "pinned_by": event.by}
    row |= {"owner": lock.owner, "channel": lock.channel, "person": lock.person}
    row |= {"requires": lock.requires.model_dump(mode="json"), "pinned_at": instant(stored.stored_at)}
    return row | _undecided(stored)


def _undecided(stored: Stored) -> Row:
    row: Row = {
        "verdict": "pending",
        "action": None,
        "degraded": [],
        "since": instant(stored.stored_at),
        "findings": [],
    }
    row |= {"valid_from": None, "decision": None, "judged_through": 0, "profile_digest": "", "agent_version": ""}
    return row | {"rules_version": "", "policy_digest": "", "cause": "pin", "evidence_at": None, "watched": ""}


def _untracked(stored: Stored, event: AgentUntracked, rows: Rows) -> None:
    """Its locks wait for somebody to watch the agent again; what was known and accepted ended with the watch."""
    for workflow, named in locks.on(event.agent, event.principal, rows):
        key = (event.principal, workflow, named)
        row = rows.get(LOCKFILE_STATUS.name, key)
        if row is not None:
            rows.put(LOCKFILE_STATUS.name, key, {**row, **_undecided(stored)})
            rows.delete(FINDINGS_BEFORE.name, key)


def _decided(stored: Stored, event: ChangeDecided, rows: Rows) -> None:
    row = rows.get(LOCKFILE_STATUS.name, _key(event))
    if row is None or row["lock_digest"] != event.lock_digest:
        return  # the lock was released or pinned anew since: that pin awaits its own decision
    told = event.model_dump(mode="json", include=set(_DECIDED))
    before = rows.get(FINDINGS_BEFORE.name, _key(event)) or row
    held = {finding["fingerprint"]: finding for finding in before["findings"]}
    locks.decided(event, rows)
    kept = {
        print_: {"since": finding["since"], "acknowledged": finding["acknowledged"]} for print_, finding in held.items()
    }
    fresh = {"since": event.valid_from, "acknowledged": None}
    findings = [found.model_dump(mode="json") | kept.get(found.fingerprint, fresh) for found in event.findings]
    told |= {"decision": str(stored.fact.id), "judged_through": event.considered_through, "findings": findings}
    told["watched"] = event.watched or event.agent
    told["since"] = row["since"] if row["verdict"] == event.verdict else event.valid_from
    rows.put(LOCKFILE_STATUS.name, _key(event), {**row, **told})
    rows.delete(FINDINGS_BEFORE.name, _key(event))


def _accepted(stored: Stored, event: ChangeAcknowledged, rows: Rows) -> None:
    """What is over already, or never began, is no acceptance: the decider sees none either."""
    end = end_of(event.until)
    if end is None or end > stored.stored_at:
        until = None if end is None else instant(end)
        words = {"by": event.by, "reason": event.reason, "until": until, "at": instant(stored.stored_at)}
        _acknowledge(event, event.fingerprint, words, rows)


def _acknowledge(event: ChangeAcknowledged | DeadlinePassed, fingerprint: str, words: Row | None, rows: Rows) -> None:
    for table in (LOCKFILE_STATUS, FINDINGS_BEFORE):
        row = rows.get(table.name, _key(event))
        if row is not None:
            findings = [
                {**finding, "acknowledged": words} if _meant(event, finding, fingerprint) else finding
                for finding in row["findings"]
            ]
            rows.put(table.name, _key(event), {**row, "findings": findings})


def _meant(event: ChangeAcknowledged | DeadlinePassed, finding: Row, fingerprint: str) -> bool:
    """A deadline ends the acknowledgement it was set for, never one that was renewed since."""
    if finding["fingerprint"] != fingerprint:
        return False
    if isinstance(event, ChangeAcknowledged):
        return True
    held = finding["acknowledged"]
    end, due = end_of(held["until"]) if held is not None else None, end_of(event.due)
    return end is not None and due is not None and end <= due


def _tried(stored: Stored, event: ProbeRecorded, rows: Rows) -> None:
    if event.outcome == "inconclusive":
        return
    for workflow, named in locks.on(event.agent, event.principal, rows):
        key = (event.principal, workflow, named)
        row = rows.get(LOCKFILE_STATUS.name, key)
        if row is not None and _needed(row["requires"], event.claim):
            rows.put(LOCKFILE_STATUS.name, key, {**row, "evidence_at": instant(stored.fact.time)})


def _needed(requires: Row, claim: Claim) -> bool:
    """What no flag of the lock names (an extension, a binding, a version) concerns every lock."""
    if claim.skill:
        return claim.skill in requires["skills"]
    flag = {"streaming": "streaming", "push": "push", "extended-card": "extended_card"}.get(claim.kind)
    return flag is None or bool(requires[flag])


def _key(event: AgentEvent) -> Key:
    return (event.principal, getattr(event, "workflow", ""), event.agent)
