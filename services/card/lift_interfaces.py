"""Endpoints of every generation → AgentInterface (A2A §4.4.6); what a hybrid card says twice is compared."""

from typing import Any

from cardtrail.events.model.card import AgentInterface
from cardtrail.services.card.members import KNOWN, Json, listed, require, strangers, text, wrong
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import visible
from cardtrail.services.card.shape import protocol_version

DEFAULT_TRANSPORT = "JSONRPC"
_INTERFACE = KNOWN["AgentInterface"]


def lift_interfaces(card: Json, notes: Notes) -> tuple[AgentInterface, ...]:
    """The endpoints in the agent's order of preference; 0.x members count only where 1.0 ones are absent.

    Raises:
        DocumentRefused: `wrong-type` for an entry or URL of another type.
    """
    if notes.legacy_body:
        return _legacy(card, notes)
    entries = card["supportedInterfaces"]
    return tuple([_entry(entry, f"$.supportedInterfaces[{index}]", notes) for index, entry in enumerate(entries)])


def _entry(entry: Any, at: str, notes: Notes) -> AgentInterface:  # noqa: ANN401 — any JSON value
    if type(entry) is not dict:
        wrong(entry, "an interface object", at)
    if not entry.keys() <= _INTERFACE:
        strangers(entry, "AgentInterface", at, notes)
    require(entry, "AgentInterface", at, notes)
    binding = text(entry, "protocolBinding", at, notes)
    if "transport" in entry:
        notes.note("CT024", f"{at}.transport", served="transport", name="protocolBinding")
        binding = binding or text(entry, "transport", at, notes)
    served = text(entry, "protocolVersion", at, notes)
    return AgentInterface.trusted(
        {
            "url": _url(entry, at),
            "protocol_binding": binding,
            "protocol_version": served,
            "version": protocol_version(served) if served else None,
            "tenant": text(entry, "tenant", at, notes) or None,
            "at": at,
        }
    )


def _legacy(card: Json, notes: Notes) -> tuple[AgentInterface, ...]:
    served = text(card, "protocolVersion", "$", notes)
    version = protocol_version(served) if served else None
    if not served and "protocolVersion" not in notes.required["AgentCard"]:
        notes.note("CT032", "$")
    if version is not None and not version.startswith("0."):
        notes.note("CT084", "$.protocolVersion", found=served)
    found: dict[tuple[str, str], AgentInterface] = {}
    if card.get("url") is not None:
        binding = text(card, "preferredTransport", "$", notes) or DEFAULT_TRANSPORT
        url = _url(card, "$")
        found[url, binding] = _legacy_entry(url, binding, served, version, "$.url")
    for index, entry in enumerate(listed(card, "additionalInterfaces", "a list of interfaces", "$")):
        at = f"$.additionalInterfaces[{index}]"
        if type(entry) is not dict:
            wrong(entry, "an interface object", at)
        binding = text(entry, "transport", at, notes) or text(entry, "protocolBinding", at, notes)
        lifted = _legacy_entry(_url(entry, at), binding or DEFAULT_TRANSPORT, served, version, at)
        twin = found.setdefault((lifted.url, lifted.protocol_binding), lifted)
        if twin is not lifted:
            notes.note("CT023", at, first=twin.at)
    return tuple(found.values())


def _legacy_entry(url: str, binding: str, served: str, version: str | None, at: str) -> AgentInterface:
    return AgentInterface.trusted(
        {
            "url": url,
            "protocol_binding": binding,
            "protocol_version": served,
            "version": version,
            "tenant": None,
            "at": at,
        }
    )


def _url(data: Json, at: str) -> str:
    value = data.get("url")
    if value is not None and type(value) is not str:
        wrong(value, "a URL", f"{at}.url")
    return value or ""


def note_ignored(card: Json, interfaces: tuple[AgentInterface, ...], notes: Notes) -> None:
    """In a hybrid card: which 0.x endpoint members are not read, and which of them contradict the 1.0 ones."""
    urls = [interface.url for interface in interfaces]
    stated: dict[str, tuple[list[str], list[Any]]] = {
        "url": (urls, [card.get("url")]),
        "preferredTransport": ([i.protocol_binding for i in interfaces], [card.get("preferredTransport")]),
        "protocolVersion": ([i.version or "" for i in interfaces], [_version(card.get("protocolVersion"))]),
        "additionalInterfaces": (urls, _urls(card.get("additionalInterfaces"))),
    }
    for name, (won, lost) in stated.items():
        if card.get(name) is None:
            continue
        said = frozenset(won)
        odd = next((value for value in lost if type(value) is not str or value not in said), None)
        if odd is None:
            notes.note("CT081", f"$.{name}", name=name)
        else:
            notes.note("CT082", f"$.{name}", name=name, found=odd, won=won[0] if len(won) == 1 else won)


def _version(stated: Any) -> str:  # noqa: ANN401 — any JSON value
    return protocol_version(str(stated)) or visible(str(stated)[:80])


def _urls(entries: Any) -> list[Any]:  # noqa: ANN401 — any JSON value
    return [entry.get("url") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
