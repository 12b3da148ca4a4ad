"""Under which names an agent is known: the operator's own, and every location at which it was found.

A lock may name an agent by its card's URL, the log by the operator's name. Names never cross principals, and never come from
what a card says of itself.
"""

import re
from urllib.parse import urlsplit

from cardtrail.events.agent_tracked import AgentTracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Rows
from cardtrail.services.kept import drop, load, save

_KEPT = 8
_PORTS = {"http": 80, "https": 443}
_LOGIN = re.compile(r"//[^/?#\"]*@")
_LOCATED = {"domain", "base-url", "card-url"}


class Locations(Value):
    """Where an agent was found, oldest first; there is one for every watched agent."""

    entries: tuple[str, ...] = ()


class Holder(Value):
    """The agent last found at a location."""

    agent: str


def place(name: str) -> str:
    """The one spelling of a location: scheme and host in lower case, no default port; a plain name stays as it is."""
    try:
        url = urlsplit(name.strip())
        port = url.port
    except ValueError:
        return name
    if not url.scheme or not url.hostname:
        return name
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    suffix = "" if port in (None, _PORTS.get(url.scheme)) else f":{port}"
    query = f"?{url.query}" if url.query else ""
    return f"{url.scheme}://{host}{suffix}{url.path or '/'}{query}"


def learn(rows: Rows, event: AgentEvent) -> None:
    """Remember where a tracked or fetched agent is; the oldest of many locations is forgotten."""
    key = (event.agent, event.principal)
    held = load(rows, Locations, key)
    if held is None:
        held = Locations()
        save(rows, key, held)
    location = _location(event)
    here = place(location)
    if not location or here == event.agent:
        return
    if here not in held.entries:
        for old in held.entries[: len(held.entries) + 1 - _KEPT]:
            _release(rows, old, event)
        save(rows, key, Locations(entries=(*held.entries, here)[-_KEPT:]))
    save(rows, (here, event.principal), Holder(agent=event.agent))


def forget(rows: Rows, event: AgentEvent) -> None:
    """The agent is no longer watched anywhere."""
    key = (event.agent, event.principal)
    for location in (load(rows, Locations, key) or Locations()).entries:
        _release(rows, location, event)
    drop(rows, Locations, key)


def resolve(rows: Rows, name: str, principal: str) -> str:
    """The watched agent behind a name or location; the name itself where nothing is found under it."""
    if load(rows, Locations, (name, principal)) is not None:
        return name
    holder = load(rows, Holder, (place(name), principal))
    return name if holder is None else holder.agent


def names(rows: Rows, agent: str, principal: str) -> tuple[str, ...]:
    """Every name under which a lock may mean this agent, each in its one spelling."""
    found = [place(agent)]
    for location in (load(rows, Locations, (agent, principal)) or Locations()).entries:
        holder = load(rows, Holder, (location, principal))
        if holder is not None and holder.agent == agent:
            found.append(location)
    return tuple(dict.fromkeys(found))


def _location(event: AgentEvent) -> str:
    if isinstance(event, AgentTracked):
        return event.target.value if event.target.kind in _LOCATED else ""
    return event.location if isinstance(event, CardFetched) else ""


def _release(rows: Rows, location: str, event: AgentEvent) -> None:
    holder = load(rows, Holder, (location, event.principal))
    if holder is not None and holder.agent == event.agent:
        drop(rows, Holder, (location, event.principal))


def has_login(place: str) -> bool:
    """Whether a URL carries a user name or password; a text that is no URL carries none."""
    try:
        return "@" in urlsplit(place.strip()).netloc
    except ValueError:
        return "@" in place


def without_login(text: str) -> str:
    """The text with what logs somebody in left out of its URLs, fit to be shown and kept."""
    return _LOGIN.sub("//…@", text)


def unusable(target: str) -> str:
    """Why a domain or URL can never be watched, "" where it can: no secret may enter the log, no other scheme is spoken."""
    whole = target if "://" in target else f"https://{target}"
    try:
        url = urlsplit(whole)
        host, _ = url.hostname, url.port
    except ValueError:
        return "is no URL"
    if url.scheme not in _PORTS:
        return f"has the scheme {url.scheme[:20]}: cards are fetched over https"
    if has_login(whole):
        return "carries a user name or password: name a credential instead, the log keeps what it is told"
    return "" if host else "names no host"
