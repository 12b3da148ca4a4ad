"""Which stored facts belong to a slice, what it rests on, and which bodies it names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import from_json

from cardtrail.events.fact import PUBLIC
from cardtrail.services.bundle.ground import Ground, dicts
from cardtrail.services.bundle.lines import kind_of
from cardtrail.services.ledger.leaf import Leaf

_NAMES_BODY = {"card-fetched": "raw_digest", "profile-compiled": "card_digest"}
_DIGEST = re.compile("sha256:[0-9a-f]{1,64}")
_NAMES = ("subject", "principal", "id")
Body = tuple[str, str, str]


class Slice:
    """Fed with what lies before the slice (`before`), with the slice (`ahead`), and once more with the former (`rests`).

    Then it `takes` the slice. A fact that is no JSON belongs to whoever may see everything.
    """

    def __init__(self, agents: Sequence[str], principals: Sequence[str], *, extended: bool) -> None:
        """`agents` and `principals` empty: all of them; `extended`: cards shown to one principal alone come along."""
        self._agents, self._principals, self._extended = set(agents), set(principals), extended
        self._last: dict[str, Leaf] = {}
        self._cards: dict[Any, Leaf] = {}
        self._ground, self._found = Ground(), dict[int, Leaf]()
        self._bodies: dict[Body, None] = {}
        self._private: set[Body] = set()
        self.left_out: Counter[str] = Counter()

    def before(self, leaf: Leaf) -> None:
        """A fact before the slice: the last word of its subject so far."""
        told, kind = _told(leaf), kind_of(leaf.subject)
        if self._is_seen(told):
            if kind != "change-acknowledged":  # of these, the ground knows which still count
                self._last[leaf.subject] = leaf
            self._ground.before(leaf, kind, told)
            if kind == "card-fetched" and _body(kind, told):
                self._cards[(told["subject"], told.get("principal"))] = leaf

    def ahead(self, leaf: Leaf) -> None:
        """A fact of the slice, to learn what it rests on."""
        told = _told(leaf)
        if self._is_seen(told):
            self._ground.ahead(leaf, kind_of(leaf.subject), told)

    def settle(self) -> None:
        """All of it was read once."""
        for leaf in (*self._last.values(), *self._cards.values(), *self._ground.standing()):
            self._found[leaf.sequence] = leaf
        for leaf in self._found.values():
            self._ground.holds(leaf, kind_of(leaf.subject), _told(leaf))
        self._ground.settle()

    def rests(self, leaf: Leaf) -> None:
        """A fact before the slice once more: kept where something in the bundle rests on it."""
        told = _told(leaf)
        if self._is_seen(told) and self._ground.picks(leaf, kind_of(leaf.subject), told):
            self._found[leaf.sequence] = leaf

    def sought(self, before: int) -> list[int]:
        """Where facts lie before a sequence that are wanted and were passed already, newest first."""
        return sorted((one for one in self._ground.sequences if one <= before and one not in self._found), reverse=True)

    def context(self) -> Iterator[Leaf]:
        """What the slice rests on, in order."""
        for sequence in sorted(self._found):
            self._name(self._found[sequence], _told(self._found[sequence]))
            yield self._found[sequence]

    def takes(self, leaf: Leaf) -> bool:
        """Whether a fact belongs to the slice."""
        told = _told(leaf)
        if not self._is_seen(told):
            return False
        self._name(leaf, told)
        return True

    def bodies(self) -> Iterator[Body]:
        """The bodies that the slice names and may hold, each once."""
        for body in self._bodies:
            if body in self._private and not self._extended:
                self.leave_out("extended card")
            else:
                yield body

    def leave_out(self, why: str) -> None:
        """One body less."""
        self.left_out[why] += 1

    def _is_seen(self, told: dict[str, Any]) -> bool:
        """Facts about no agent are everybody's; of other agents only locks that name one of ours as a candidate count."""
        if "subject" not in told:
            return bool(told) or not self._principals
        if self._agents and told["subject"] not in self._agents and not self._stands_in(told):
            return False
        return not self._principals or told.get("principal", PUBLIC) in self._principals

    def _stands_in(self, told: dict[str, Any]) -> bool:
        lock = told["data"].get("lockfile")
        named = dicts(lock.get("fallback")) if isinstance(lock, dict) else []
        return any(str(one.get("agent")) in self._agents for one in named)

    def _name(self, leaf: Leaf, told: dict[str, Any]) -> None:
        digest = _body(kind_of(leaf.subject), told)
        if digest and "subject" in told:
            body = (told["subject"], told.get("principal", PUBLIC), digest)
            self._bodies[body] = None
            if told["data"].get("extended"):
                self._private.add(body)


def _body(kind: str, told: dict[str, Any]) -> str:
    """The digest of the body that a fact names, "" where it names none that can be."""
    digest = told.get("data", {}).get(_NAMES_BODY.get(kind, ""))
    return digest if isinstance(digest, str) and _DIGEST.fullmatch(digest) else ""


def _told(leaf: Leaf) -> dict[str, Any]:
    """The envelope, {} where there is none; what is in its `data` was written by anybody."""
    try:
        told = from_json(leaf.data)
    except ValueError:
        return {}
    if not isinstance(told, dict) or not isinstance(told.setdefault("data", {}), dict):
        return {}
    return told if all(isinstance(told.get(name, ""), str) for name in _NAMES) else {}
