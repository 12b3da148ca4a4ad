"""Values of a lock that have the right type and are refused at every door; facts that hold one already stay readable. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.durations import LONGEST_S
from cardtrail.services.names import LONGEST, wrong
from cardtrail.services.places import has_login

_NAMES = ("workflow", "channel", "principal")
_WORDS = ("owner", "person")
"""What people call people: any words, shown escaped, of a length that can be shown."""


class WrongValue(NamedTuple):
    """Where, what, and what to write instead; a secret is never repeated."""

    path: str
    said: str
    hint: str


def wrong_values(lock: Lockfile) -> Iterator[WrongValue]:
    """In the order in which a lock is written; an empty name is one that is not given."""
    for member in _NAMES:
        name = getattr(lock, member)
        if (name or member == "principal") and (reason := wrong(name)):
            yield WrongValue(f"$.{member}", f"a name {reason}", f"at most {LONGEST} visible characters of one alphabet")
    for member in _WORDS:
        if len(words := getattr(lock, member)) > LONGEST:
            yield WrongValue(f"$.{member}", f"{len(words)} characters", f"at most {LONGEST} are taken")
    agents = {"$.agent": lock.agent} | {f"$.fallback[{at}].agent": one.agent for at, one in enumerate(lock.fallback)}
    for path, agent in agents.items():
        if has_login(agent):
            said = "the URL carries a user name or password, and the log keeps what it is told"
            yield WrongValue(path, said, "leave it out, and name a credential in the settings")
    age = lock.evidence_max_age_s
    if age is not None and not 0 <= age <= LONGEST_S:
        said = f"{age} seconds" if abs(age) < 1 << 53 else "a number of that size"
        yield WrongValue("$.evidence_max_age_s", f"{said}: 0 to {LONGEST_S} are taken", "0 demands no evidence")
