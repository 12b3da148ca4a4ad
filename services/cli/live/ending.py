"""What operators take back or accept: agents, locks, findings."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from cardtrail.events import AgentUntracked, ChangeAcknowledged, LockfileReleased
from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.projections.projection import Row
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.standing import lock_rows
from cardtrail.services.cli.live.telling import tell
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.ack import AckOutput
from cardtrail.services.cli.outputs.release import ReleaseOutput
from cardtrail.services.cli.outputs.untrack import UntrackOutput
from cardtrail.services.cli.shell.near import near
from cardtrail.services.declare import tracked

_SHORTEST = 4


async def untrack(tracker: Tracker, given: str, principals: Sequence[str], reason: str, by: str) -> UntrackOutput:
    """Watch an agent no more, for these principals or for all; what is known of it stays.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`.
    """
    known = await directory(tracker.bus)
    agent, _ = known.agent(given, next(iter(principals), None))
    having = [key for key, gone in known.told.gone.items() if key[0] == agent and not gone]
    keys = [key for key in having if not principals or key[1] in principals]
    facts = await tell(tracker, [AgentUntracked(agent=a, principal=p, reason=reason, by=by) for a, p in keys])
    names = known.names(agent)
    locked = sorted(
        {flow for flow, name, principal in known.told.locks if name in names and (agent, principal) in keys}
    )
    notes = [f"locks still depend on it: cardtrail release {flow} {given}" for flow in locked]
    if any(key in tracked(tracker.settings) for key in keys):
        notes.append("the settings file still names it; the next start of the tracker watches it again")
    return UntrackOutput(format="cardtrail.untrack/1", facts=facts, by=by, notes=tuple(notes))


async def release(tracker: Tracker, workflow: str, given: str, reason: str, by: str) -> ReleaseOutput:
    """Withdraw a workflow's locks: on one agent, or all.

    Raises:
        UsageError: `workflow-unknown`, `agent-unknown`, `lock-unknown`, the workflow has none on this agent.
    """
    known = await directory(tracker.bus)
    flow = known.workflow(workflow)
    names = known.names(known.agent(given)[0]) if given else None
    keys = [key for key in known.told.locks if key[0] == flow and (names is None or key[1] in names)]
    if not keys:
        hint = f"it has one on {', '.join(sorted(key[1] for key in known.told.locks if key[0] == flow))}"
        raise UsageError("lock-unknown", f'"{flow}" has no lock on "{given}"', hint=hint)
    events = [LockfileReleased(agent=a, principal=p, workflow=w, reason=reason, by=by) for w, a, p in sorted(keys)]
    facts = await tell(tracker, events)
    kept = {(one.workflow, one.agent, one.principal): one for one in known.told.locks.values() if one.by == "settings"}
    notes = (
        ["the settings file names this lock; the next start of the tracker pins it again"] if kept.keys() & keys else []
    )
    return ReleaseOutput(format="cardtrail.release/1", facts=facts, by=by, notes=tuple(notes))


async def acknowledge(  # noqa: PLR0913, PLR0917 — who accepts what, why, until when
    tracker: Tracker, given: Sequence[str], workflow: str | None, reason: str, until: datetime | None, by: str
) -> AckOutput:
    """Accept findings by the beginning of their fingerprints.

    Raises:
        UsageError: `fingerprint-unknown`, `fingerprint-ambiguous`, `workflow-unknown`.
    """
    known = await directory(tracker.bus)
    flow = known.workflow(workflow) if workflow else None
    rows, _ = await lock_rows(tracker.bus, known)
    found = [(row, finding) for row in rows.values() if flow in {None, row["workflow"]} for finding in row["findings"]]
    chosen = [_chosen(found, prefix) for prefix in given]
    events = [
        ChangeAcknowledged(
            agent=row["agent"],
            principal=row["principal"],
            workflow=row["workflow"],
            fingerprint=finding["fingerprint"],
            reason=reason,
            until=instant(until) if until else None,
            by=by,
        )
        for row, finding in chosen
    ]
    facts = await tell(tracker, events)
    return AckOutput(format="cardtrail.ack/1", facts=facts, by=by, notes=tuple(_stands(chosen)))


def _chosen(found: Sequence[tuple[Row, Row]], prefix: str) -> tuple[Row, Row]:
    if len(prefix) < _SHORTEST:
        raise UsageError("fingerprint-ambiguous", f'"{prefix}" is too short', hint=f"at least {_SHORTEST} characters")
    hits = [pair for pair in found if pair[1]["fingerprint"].startswith(prefix.lower())]
    if not hits:
        prints = [finding["fingerprint"][:12] for _, finding in found]
        hint = near(prefix, prints) or "cardtrail status --json"
        raise UsageError("fingerprint-unknown", f'no open finding begins with "{prefix}"', hint=hint)
    if len(hits) > 1:
        names = ", ".join(f"{finding['fingerprint'][:16]} ({finding['rule']})" for _, finding in hits)
        raise UsageError("fingerprint-ambiguous", f'"{prefix}" is several findings', hint=names)
    return hits[0]


def _stands(chosen: Sequence[tuple[Row, Row]]) -> Iterator[str]:
    for row, finding in chosen:
        if finding["severity"] == "breaking":
            yield f"{finding['rule']} stays breaking: it ends when the agent offers it again, or {row['workflow']} needs less"
