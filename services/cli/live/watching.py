"""From what an operator says to facts: agents to watch, locks to hold them to. Nothing is told twice or accepted unasked.

A lock whose content is in force already is not pinned again: pinning takes what the agent offers now as its baseline, and a
script that runs twice must not accept a change that nobody has looked at.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cardtrail.events import AgentTracked, Event, LockfilePinned
from cardtrail.events.agent_tracked import DOCUMENT_BYTES, SourceKind, Target
from cardtrail.events.errors import UsageError
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services import places
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.telling import tell
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.words import tracking
from cardtrail.services.cli.outputs.track import TrackOutput
from cardtrail.services.cli.shell.locks import OpenedLock
from cardtrail.services.declare import tracked
from cardtrail.services.fetcher.locate import target_of
from cardtrail.services.names import wrong
from cardtrail.services.settings import DEFAULT_INTERVAL_S, Settings
from cardtrail.services.telling import must_fit, of_workflow
from cardtrail.services.verdict.lock import lock_digest


class Wanted(NamedTuple):
    """What to watch and how; `every_s` None = by the kind of source, `name` None = the target as given."""

    target: str
    name: str | None
    principals: tuple[str, ...]
    source: SourceKind
    every_s: int | None
    legacy_path: bool
    provider: str
    credential: str
    endpoints: EndpointPolicy
    exact: bool = False


async def watch(
    tracker: Tracker, wanted: Wanted | None, locks: Sequence[OpenedLock], workflow: str, by: str
) -> TrackOutput:
    """Track the target, then pin each lock; an agent that a lock names by its URL is tracked with it.

    Raises:
        UsageError: `agent-unknown`, a lock names an agent that nobody watches; `argument-missing`, a lock without a workflow.
    """
    known = await directory(tracker.bus)
    agents = list(_agents(wanted, by)) if wanted else []
    pins = [_pin(opened, workflow, tracker.settings, by) for opened in locks]
    agents += [_named(pin, wanted, known, by) for pin in pins if not _covered(pin, agents, known)]
    events: list[Event] = [event for event in agents if not _said(known, event)]
    events += [pin for pin in pins if not _in_force(known, pin)]
    facts = await tell(tracker, events)
    notes = (*_moves(known, agents), *_notes(tracker, agents), *_absent(known, agents, pins))
    return TrackOutput(format="cardtrail.track/1", facts=facts, by=by, notes=notes)


def _agents(wanted: Wanted, by: str) -> Iterator[AgentTracked]:
    target = target_of(wanted.target, exact=wanted.exact)
    reason = places.unusable(wanted.target) if target.kind in {"domain", "base-url", "card-url"} else ""
    if target.kind == "file" and not Path(target.value).is_file():
        reason = "is no URL, no domain, and no file that is there"
    if target.kind == "document" and len(target.value.encode("utf-8", "surrogatepass")) > DOCUMENT_BYTES:
        reason = f"is a card of more than {DOCUMENT_BYTES >> 10} KiB; keep it in a file"
    if reason:
        given = "the target" if "@" in wanted.target or target.kind == "document" else f'"{wanted.target}"'
        raise UsageError("target-unusable", f"{given} {reason}", hint="a domain, an https URL or a file")
    if target.kind == "file":
        target = Target(kind="file", value=str(Path(target.value).absolute()))
    for what, name in (("--name", wanted.name), *(("--principal", one) for one in wanted.principals)):
        if name is not None and (reason := wrong(name)):
            raise UsageError("option-value", f"{what}: a name {reason}")
    for principal in wanted.principals:
        yield AgentTracked(
            agent=wanted.name or wanted.target,
            principal=principal,
            target=target,
            source_kind=wanted.source,
            interval_s=DEFAULT_INTERVAL_S[wanted.source] if wanted.every_s is None else wanted.every_s,
            legacy_path=wanted.legacy_path,
            endpoints=wanted.endpoints,
            credential=wanted.credential,
            provider=wanted.provider,
            by=by,
        )


def _pin(opened: OpenedLock, workflow: str, settings: Settings, by: str) -> LockfilePinned:
    lock: Lockfile = opened.lockfile
    name = workflow or lock.workflow
    if not name:
        raise UsageError("argument-missing", "the lock names no workflow", hint="--workflow NAME", file=opened.file)
    if reason := wrong(name):
        raise UsageError("option-value", f"--workflow: a name {reason}")
    lock = of_workflow(lock, name, settings)
    must_fit(lock, opened.file)
    return LockfilePinned(
        agent=lock.agent,
        principal=lock.principal,
        workflow=name,
        lockfile=lock,
        lock_digest=lock_digest(lock),
        by=by,
    )


def _covered(pin: LockfilePinned, agents: Sequence[AgentTracked], known: Directory) -> bool:
    """Is the lock's agent watched for its principal, or will it be?"""
    here = places.place(pin.agent)
    for event in agents:
        if event.principal == pin.principal and here in {event.agent, places.place(event.target.value)}:
            return True
    return known.watched((known.called(pin.agent, pin.principal), pin.principal)) is not None


def _named(pin: LockfilePinned, wanted: Wanted | None, known: Directory, by: str) -> AgentTracked:
    """The agent of a lock that nobody watches: tracked where it is a URL, refused where it is a name."""
    target = target_of(pin.agent)
    if wanted is not None or target.kind not in {"base-url", "card-url"}:
        known.agent(pin.agent, pin.principal)
        what = f'the lock is for "{pin.agent}", which nobody watches'
        raise UsageError("agent-unknown", what, hint=tracking(pin.agent))
    return AgentTracked(agent=pin.agent, principal=pin.principal, target=target, by=by)


def _said(known: Directory, event: AgentTracked) -> bool:
    held = known.watched((event.agent, event.principal))
    return held is not None and held.model_copy(update={"by": event.by}) == event


def _in_force(known: Directory, pin: LockfilePinned) -> bool:
    held = known.told.locks.get((pin.workflow, pin.agent, pin.principal))
    return held is not None and held.lock_digest == pin.lock_digest


def _moves(known: Directory, agents: Sequence[AgentTracked]) -> Iterator[str]:
    """An agent that is looked for elsewhere from now on: whoever depends on it is judged by what is found there."""
    for event in agents:
        held = known.watched((event.agent, event.principal))
        if held is None or held.target == event.target:
            continue
        locks = sorted(
            workflow
            for workflow, name, principal in known.told.locks
            if principal == event.principal and known.called(name, principal) == event.agent
        )
        whose = f"; the locks of {', '.join(locks)} are judged by what is found there" if locks else ""
        yield (
            f"{event.agent} was at {held.target.value} and is looked for at {event.target.value} from now on{whose}; "
            "another --name watches both"
        )


def _absent(known: Directory, agents: Sequence[AgentTracked], pins: Sequence[LockfilePinned]) -> Iterator[str]:
    """Those who are to stand in and are watched by nobody: they are judged, and used, from when they are."""
    told = {(event.agent, event.principal) for event in agents}
    for pin in pins:
        for one in pin.lockfile.fallback:
            key = (known.called(one.agent, pin.principal), pin.principal)
            if key not in told and known.watched(key) is None:
                yield f"{one.agent} stands in for {pin.agent}, and nobody watches it: {tracking(one.agent)}"


def _notes(tracker: Tracker, agents: Sequence[AgentTracked]) -> Iterator[str]:
    settings = tracked(tracker.settings)
    for event in agents:
        if (event.agent, event.principal) in settings:
            yield f"the settings file names {event.agent} too; at the next start of the tracker it wins"
        if event.credential and event.credential not in tracker.settings.credentials:
            yield f"the settings file here holds no credential {event.credential}"
        if event.principal != PUBLIC and not event.credential:
            yield f"{event.agent} is asked without a credential for {event.principal}"
        if event.target.value.lower().startswith("http://") and not event.endpoints.cleartext:
            yield f"{event.agent} is at http, which is closed: every look is refused unless it is tracked with --cleartext"
