"""Which claims the locks need of each agent: kept as counts, so that a pin touches one row however many locks there are. Pure."""

from collections.abc import Iterable

from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.projections.projection import Rows
from cardtrail.services.kept import drop, load, save
from cardtrail.services.places import names, place, resolve
from cardtrail.services.prober.memory import Demand, Needs, Wanted
from cardtrail.services.verdict.claims import needed_claims


def pinned(rows: Rows, event: LockfilePinned) -> set[str]:
    """A lock is in force; the agents whose demand has changed."""
    return _replaced(rows, event, needs(event.lockfile, event.agent))


def released(rows: Rows, event: LockfileReleased) -> set[str]:
    """A lock is in force no longer; the agents whose demand has changed."""
    return _replaced(rows, event, Needs())


def needs(lock: Lockfile, agent: str) -> Needs:
    """The claims that a lock needs of its agent, and under their own skill ids of its candidates."""
    claims = {agent: needed_claims(lock)}
    for candidate in lock.fallback:
        skills = {candidate.skills.get(skill, skill): need for skill, need in lock.requires.skills.items()}
        stand_in = lock.model_copy(update={"requires": lock.requires.model_copy(update={"skills": skills})})
        claims.setdefault(candidate.agent, needed_claims(stand_in))
    return Needs(claims=claims)


def demanded(rows: Rows, agent: str, principal: str) -> tuple[Claim, ...] | None:
    """Every claim that some lock needs of this agent, None where no lock names it."""
    held = [load(rows, Demand, (name, principal)) for name in names(rows, agent, principal)]
    found = [demand.entries for demand in held if demand is not None]
    return tuple(dict.fromkeys(one.claim for entries in found for one in entries if one.claim.kind)) if found else None


def _replaced(rows: Rows, event: LockfilePinned | LockfileReleased, now: Needs) -> set[str]:
    key = (event.workflow, event.agent, event.principal)
    before = load(rows, Needs, key) or Needs()
    for name, claims in before.claims.items():
        _count(rows, name, event.principal, claims, -1)
    for name, claims in now.claims.items():
        _count(rows, name, event.principal, claims, 1)
    if now.claims:
        save(rows, key, now)
    else:
        drop(rows, Needs, key)
    return {resolve(rows, name, event.principal) for name in (*before.claims, *now.claims)}


def _count(rows: Rows, name: str, principal: str, claims: Iterable[Claim], by: int) -> None:
    key = (place(name), principal)
    counts = {one.claim: one.locks for one in (load(rows, Demand, key) or Demand()).entries}
    for claim in (_ANY, *claims):
        counts[claim] = counts.get(claim, 0) + by
    left = tuple(Wanted(claim=claim, locks=locks) for claim, locks in counts.items() if locks > 0)
    if left:
        save(rows, key, Demand(entries=left))
    else:
        drop(rows, Demand, key)


_ANY = Claim(kind="")
"""Counts locks that name the agent, whatever they need of it."""
