"""What differs between two states of knowledge about an agent: two instants, or two principals."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from cardtrail.events.model.profile import Identity, Profile
from cardtrail.events.model.value import Value
from cardtrail.projections.capabilities import capabilities

Kind = Literal["capability", "lock", "watch"]


class Changed(Value):
    """One difference; null = not there on that side (`capability`: the card does not offer it, or nothing is known)."""

    kind: Kind
    name: str
    before: Any
    after: Any


class Known(NamedTuple):
    """One state: profile with identity, verdict and action of each workflow's lock, how the agent is watched and heard."""

    profile: Profile | None
    identity: Identity | None
    locks: Mapping[str, str]
    watch: Mapping[str, str]


def differences(before: Known, after: Known) -> Iterator[Changed]:
    """Capabilities in order of their names, then locks, then how the agent is watched; equal sides give nothing."""
    sides: tuple[tuple[Kind, Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("capability", _values(before), _values(after)),
        ("lock", before.locks, after.locks),
        ("watch", before.watch, after.watch),
    )
    for kind, old, new in sides:
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield Changed(kind=kind, name=name, before=old.get(name), after=new.get(name))


def _values(known: Known) -> dict[str, Any]:
    if known.profile is None:
        return {}
    return {name: from_json(text) for name, text in capabilities(known.profile, known.identity or Identity()).items()}
