"""Who depends on an agent: an index from its names to the pairs, so that one change touches only its own locks.

The index of a name is cut into sixteen rows, because thousands of workflows may depend on one agent.
"""

from cardtrail.events.subjects import shard
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.decider.memory import Pairs
from cardtrail.services.kept import drop, keys, load, save
from cardtrail.services.places import names, place

_SHARDS = "0123456789abcdef"


def pairs_of(rows: Rows, agent: str, principal: str) -> tuple[Key, ...]:
    """Every (workflow, agent as named by its lock, principal) that depends on this agent."""
    there = keys(rows, Pairs)
    parts = ((name, principal, part) for name in names(rows, agent, principal) for part in _SHARDS)
    held = (load(rows, Pairs, key) for key in parts if key in there)
    return tuple((workflow, named, principal) for pairs in held if pairs for workflow, named in pairs.entries)


def depend(rows: Rows, pair: Key) -> None:
    """A workflow depends on what is found under a name."""
    key, entry = _entry(pair)
    held = (load(rows, Pairs, key) or Pairs()).entries
    save(rows, key, Pairs(entries=tuple(sorted({*held, entry}))))


def undepend(rows: Rows, pair: Key) -> None:
    """It no longer does."""
    key, entry = _entry(pair)
    left = tuple(one for one in (load(rows, Pairs, key) or Pairs()).entries if one != entry)
    if left:
        save(rows, key, Pairs(entries=left))
    else:
        drop(rows, Pairs, key)


def _entry(pair: Key) -> tuple[Key, tuple[str, str]]:
    workflow, named, principal = pair
    return (place(named), principal, shard(workflow)), (workflow, named)
