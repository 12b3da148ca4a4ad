"""Which endpoint a client takes: the first it supports, in the agent's order (A2A §8.3.2), and what the common SDKs take."""

import re
from collections.abc import Callable
from typing import NamedTuple

from cardtrail.events.model.card import AgentInterface
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Interface
from cardtrail.services.card.endpoint import unfit_interface

Endpoints = list[tuple[AgentInterface, Interface]]
_PYTHON_VERSION = re.compile(r"\s*v?([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.[0-9]{1,9})*\s*")
_V1, _V03 = (1, 0), (0, 3)


class Selection(NamedTuple):
    """All endpoints in profile form, the chosen one as served and in profile form, and what SDKs would choose otherwise."""

    interfaces: tuple[Interface, ...]
    served: AgentInterface | None
    chosen: Interface | None
    sdk_choice: dict[str, Interface | None]


def select(interfaces: tuple[AgentInterface, ...], client: ClientCapabilities) -> Selection:
    """The first endpoint that can be called, and whose binding (letter by letter) and Major.Minor the client implements."""
    bindings = frozenset([binding for binding, _ in client.interfaces])
    pairs = [(served, _profiled(served, client, bindings)) for served in interfaces]
    mine = tuple([profiled for _, profiled in pairs])
    served, chosen = None, None
    for pair in pairs:
        if pair[1].supported:
            served, chosen = pair
            break
    choices = {name: choose(pairs, bindings) for name, choose in SDKS.items()}
    differing = {name: choice for name, choice in choices.items() if choice is not chosen and choice != chosen}
    return Selection(mine, served, chosen, differing)


def _profiled(served: AgentInterface, client: ClientCapabilities, bindings: frozenset[str]) -> Interface:
    """One endpoint; a version that is no Major.Minor stays as served, so that only a client that names it matches."""
    binding, version = served.protocol_binding, served.version or served.protocol_version.strip()
    unversioned = client.missing_version_matches and binding in bindings
    known = (binding, version) in client.interfaces if version else unversioned
    found = Interface.trusted(
        {"url": served.url, "binding": binding, "version": version, "tenant": served.tenant, "supported": known}
    )
    return found.model_copy(update={"supported": False}) if known and unfit_interface(found) else found


def _python(pairs: Endpoints, bindings: frozenset[str]) -> Interface | None:
    """a2a-sdk 1.3.0: the first known binding; inside it 1.0, else the first above, else the first from 0.3, else none stated."""
    binding = higher = lower = bare = None
    for served, mine in pairs:
        if binding is None and mine.binding in bindings:
            binding = mine.binding
        if mine.binding != binding:
            continue
        if not served.protocol_version:
            bare = bare or mine
        elif served.protocol_version == "1.0":
            return mine
        elif match := _PYTHON_VERSION.fullmatch(served.protocol_version):
            version = (int(match[1]), int(match[2] or 0))
            if version == _V1:
                return mine
            higher = higher or (mine if version > _V1 else None)
            lower = lower or (mine if version >= _V03 else None)
    return higher or lower or bare


def _js(pairs: Endpoints, bindings: frozenset[str]) -> Interface | None:
    """a2a-js 2026-08: the first known binding (without case), there the one whose version is exactly `1.0`, else the first."""
    name, first = "", None
    for served, mine in pairs:
        binding = mine.binding.lower()
        if first is None and (mine.binding in bindings or binding in map(str.lower, bindings)):
            name, first = binding, mine
        if first is not None and binding == name and served.protocol_version == "1.0":
            return mine
    return first


SDKS: dict[str, Callable[[Endpoints, frozenset[str]], Interface | None]] = {"python": _python, "js": _js}
"""The rules of the SDKs by name, as their 1.x clients apply them for the same bindings."""
