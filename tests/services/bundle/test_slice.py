"""A fact that anybody wrote, broken as it may be, is taken along as it is; it names no body, and nothing rests on it."""

import json
from typing import Any

import pytest

from cardtrail.services.bundle.slice import Slice
from cardtrail.services.ledger.leaf import Leaf

JUNK: tuple[Any, ...] = (
    -1,
    None,
    True,
    "x",
    [],
    [1, "x", {"agent": [1]}],
    {},
    {"fallback": 3},
    1e300,
    "sha256:" + "*" * 64,
)
MEMBERS = {
    "card-fetched": ("raw_digest", "extended", "same_as"),
    "profile-compiled": ("card_digest", "card_sequence"),
    "change-decided": ("findings", "causes", "watched", "workflow", "verdict"),
    "change-acknowledged": ("workflow",),
    "lockfile-pinned": ("lockfile",),
}
DIGEST = "sha256:" + "a" * 64


def leaf(sequence: int, kind: str, envelope: dict[str, Any]) -> Leaf:
    return Leaf(sequence, sequence, f"cardtrail.events.0.A.public.{kind}.-", json.dumps(envelope).encode())


def sliced(leaves: list[Leaf], *agents: str) -> tuple[list[int], list[tuple[str, str, str]]]:
    """What a slice takes of these facts, each as one before it and as one in it, and the bodies that it names."""
    found = Slice(agents, (), extended=False)
    for one in leaves:
        found.before(one)
    for one in leaves:
        found.ahead(one)
    found.settle()
    for one in leaves:
        found.rests(one)
    taken = [one.sequence for one in (*found.context(), *(one for one in leaves if found.takes(one)))]
    return sorted(set(taken)), list(found.bodies())


@pytest.mark.parametrize("kind", MEMBERS)
def test_whatever_stands_in_the_members_of_a_fact_it_is_taken_along(kind: str) -> None:
    leaves = [
        leaf(at, kind, {"id": "i", "subject": "A", "principal": "public", "data": {name: junk}})
        for at, (name, junk) in enumerate(((name, junk) for name in MEMBERS[kind] for junk in JUNK), 1)
    ]
    assert sliced(leaves, "A") == ([one.sequence for one in leaves], [])


@pytest.mark.parametrize("member", ["subject", "principal", "id", "data"])
@pytest.mark.parametrize("junk", [-1, [], {"a": []}, None])
def test_whatever_stands_in_its_envelope_a_slice_of_everything_has_it(member: str, junk: object) -> None:
    envelope = {"id": "i", "subject": "A", "principal": "public", "data": {"raw_digest": DIGEST}}
    assert sliced([leaf(1, "card-fetched", envelope | {member: junk})])[0] == [1]
    assert sliced([leaf(1, "card-fetched", envelope)], "A") == ([1], [("A", "public", DIGEST)])
