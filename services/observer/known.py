"""Whom reports may speak of: agents with their last few profiles by digest, and the workflows that depend on them. Pure."""

from cardtrail.events import (
    AgentEvent,
    AgentTracked,
    AgentUntracked,
    CardFetched,
    LockfilePinned,
    LockfileReleased,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.model.profile import Profile
from cardtrail.events.model.value import Value
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Rows
from cardtrail.services import places
from cardtrail.services.kept import drop, load, save

_KEPT = 4


class Held(Value):
    """One profile that was in force, without the places in the card it came from."""

    digest: str
    profile: Profile


class Profiles(Value):
    """The last profiles of an agent as one principal sees it, newest last."""

    entries: tuple[Held, ...] = ()


class Dependence(Value):
    """The names under which a workflow's locks mean their agents and candidates, by the lock's own agent."""

    names: dict[str, tuple[str, ...]] = {}


class Known:
    """The fold."""

    name = "known"

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Remember what one fact says of agents, profiles and locks."""
        event = stored.fact.data
        if not isinstance(event, AgentEvent) or late(stored, rows):
            return
        match event:
            case AgentTracked() | CardFetched():
                places.learn(rows, event)
            case AgentUntracked():
                places.forget(rows, event)
                drop(rows, Profiles, (event.agent, event.principal))
            case ProfileCompiled():
                _compiled(event, rows)
            case LockfilePinned():
                stand_ins = (candidate.agent for candidate in event.lockfile.fallback)
                _depends(rows, event, (event.agent, event.lockfile.agent, *stand_ins))
            case LockfileReleased():
                _depends(rows, event, ())
            case _:
                pass


def profile_of(rows: Rows, agent: str, principal: str, digest: str) -> Held | None:
    """The profile named by its digest, else the one in force; None where nothing was compiled yet."""
    entries = (load(rows, Profiles, (agent, principal)) or Profiles()).entries
    named = next((held for held in entries if held.digest == digest), None)
    return named or (entries[-1] if entries else None)


def depends(rows: Rows, workflow: str, agent: str, principal: str) -> bool:
    """Whether some lock of the workflow means this agent."""
    held = load(rows, Dependence, (workflow, principal)) or Dependence()
    return any(places.resolve(rows, name, principal) == agent for names in held.names.values() for name in names)


def _compiled(event: ProfileCompiled, rows: Rows) -> None:
    key = (event.agent, event.principal)
    profile = event.profile.model_copy(update={"provenance": {}, "interfaces": ()})
    entries = (load(rows, Profiles, key) or Profiles()).entries
    others = tuple(held for held in entries if held.digest != event.profile_digest)
    save(rows, key, Profiles(entries=(*others, Held(digest=event.profile_digest, profile=profile))[-_KEPT:]))


def _depends(rows: Rows, event: LockfilePinned | LockfileReleased, names: tuple[str, ...]) -> None:
    key = (event.workflow, event.principal)
    held = dict((load(rows, Dependence, key) or Dependence()).names)
    held.pop(event.agent, None)
    if names:
        held[event.agent] = tuple(dict.fromkeys(names))
    if held:
        save(rows, key, Dependence(names=held))
    else:
        drop(rows, Dependence, key)
