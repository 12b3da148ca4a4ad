"""Members of a lock that are well formed and can never be met as they stand, or not be compared. Pure."""

from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from typing import NamedTuple

from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.card.paths import member, shown
from cardtrail.services.card.shape import protocol_version
from cardtrail.services.card.validate_endpoints import CORE_BINDINGS, URI
from cardtrail.services.outbound.address import judge_url


class Odd(NamedTuple):
    """Where, what, and what to write instead."""

    path: str
    said: str
    hint: str


def odd_members(lock: Lockfile) -> Iterator[Odd]:
    """In the order in which a lock is written."""
    if not lock.agent.strip():
        yield Odd("$.agent", "the agent has no name", "write the URL of its card, or the name it is tracked under")
    if lock.pinned_at and not _is_instant(lock.pinned_at):
        yield Odd("$.pinned_at", f"{shown(lock.pinned_at)} is no instant with its zone", "write 2026-10-02T08:30:00Z")
    yield from _interface(lock)
    for id_, need in lock.requires.skills.items():
        at = member("$.requires.skills", id_)
        if not id_.strip():
            yield Odd(at, "a skill without id is in no profile", "name a skill of the card")
        for side in ("input", "output"):
            if any(not mode.strip() for mode in getattr(need, side)):
                yield Odd(f"{at}.{side}", "an empty media type", "leave it out")
    for index, host in enumerate(lock.allowed_hosts):
        bare = host.removeprefix("*.")
        if judge_url(f"https://{bare}/").host != bare.lower() or set(bare) & set("*/"):
            yield Odd(
                f"$.allowed_hosts[{index}]", f"{shown(host)} is no host", "write partner.example or *.partner.example"
            )


def _interface(lock: Lockfile) -> Iterator[Odd]:
    pinned = lock.interface
    if pinned.binding not in CORE_BINDINGS and not URI.fullmatch(pinned.binding):
        near = get_close_matches(pinned.binding.upper()[:40], CORE_BINDINGS, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"one of {', '.join(CORE_BINDINGS)}, or a URI"
        yield Odd("$.interface.binding", f"{shown(pinned.binding)} is no known binding", hint)
    if pinned.version and protocol_version(pinned.version) is None:
        yield Odd(
            "$.interface.version", f"{shown(pinned.version)} is no protocol version", 'write Major.Minor such as "1.0"'
        )


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
