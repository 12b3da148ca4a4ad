"""Endpoints of a card: bindings, versions, URLs nobody else can call, other origins (A2A §4.4.6, §7.1)."""

import re
from difflib import get_close_matches

from cardtrail.events.model.card import AgentCard, AgentInterface
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.card.endpoint import DOTS, as_http, is_plainly_public, member_at
from cardtrail.services.card.notes import Notes
from cardtrail.services.outbound.address import JudgedUrl, judge_url

CORE_BINDINGS = ("JSONRPC", "GRPC", "HTTP+JSON")
RELEASED = frozenset(("0.1", "0.2", "0.3", "1.0"))
_ALIASES = {
    **dict.fromkeys(("jsonrpc", "jsonrpc2", "jsonrpc20"), "JSONRPC"),
    **dict.fromkeys(("rest", "restful", "http", "https", "httpjson", "httpsjson"), "HTTP+JSON"),
    **dict.fromkeys(("httprest", "resthttp", "httpjsonrest", "resthttpjson", "jsonhttp"), "HTTP+JSON"),
    "grpc": "GRPC",
}
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_AUTHORITY = re.compile(r"[^/?#@\s]+:[0-9]{1,5}(?:[/?#].*)?")
_MCP_DATE = re.compile(r"\s*20[0-9]{2}-[0-9]{2}-[0-9]{2}\s*")
_LINT = EndpointPolicy(cleartext=True)
_LOOPBACK = ("loopback", "unspecified")
_ELSEWHERE = frozenset(
    (
        *("private", "cgnat", "link-local", "site-local", "metadata", "local-name", "documentation", "benchmark"),
        *("multicast", "broadcast", "reserved", "6to4", "nat64", "teredo", "isatap"),
    )
)


def validate_endpoints(card: AgentCard, notes: Notes, origin: str | None) -> None:
    """Note what is wrong with each endpoint, and each credential URL, not only with the one a client would choose."""
    home = judge_url(origin, _LINT) if origin else None
    seen: dict[tuple[str, ...], str] = {}
    for interface in card.supported_interfaces:
        _binding(interface, notes)
        _version(interface, notes)
        _url(interface, notes, home)
        if interface.protocol_binding == "HTTP+JSON" and interface.tenant in DOTS:
            notes.note("CT033", f"{interface.at}.tenant", found=interface.tenant)
        key = (interface.url, interface.protocol_binding, interface.version or "", interface.tenant or "")
        if key in seen:
            notes.note("CT023", interface.at, first=seen[key])
        seen.setdefault(key, interface.at)
    for scheme in card.security_schemes.values():
        for name, url in scheme.urls.items():
            _credential_url(name, url, f"{scheme.at}.{name}", notes, home)


def _binding(interface: AgentInterface, notes: Notes) -> None:
    binding = interface.protocol_binding
    if binding in CORE_BINDINGS or not binding or URI.fullmatch(binding):
        return
    at = member_at(interface, "protocolBinding")
    near = _ALIASES.get(re.sub(r"[^a-z0-9]", "", binding.lower()))
    near = near or next(iter(get_close_matches(binding[:40].upper(), CORE_BINDINGS, 1, 0.75)), None)
    if near:
        notes.note("CT017", at, found=binding, near=f'did you mean "{near}"?')
    else:
        notes.note("CT018", at, found=binding)


def _version(interface: AgentInterface, notes: Notes) -> None:
    served, version = interface.protocol_version, interface.version
    if (version in RELEASED and (served == version or interface.at[2] != "s")) or not served:
        return
    at = member_at(interface, "protocolVersion")
    if version is None:
        notes.note("CT021" if _MCP_DATE.fullmatch(served) else "CT020", at, found=served)
    elif version not in RELEASED:
        notes.note("CT022", at, version=version)
    else:
        notes.note("CT019", at, found=served, version=version)


def _url(interface: AgentInterface, notes: Notes, home: JudgedUrl | None) -> None:
    url = interface.url
    if home is None and is_plainly_public(url):
        return
    at = member_at(interface, "url")
    if not url.strip():
        notes.note("CT025", at)
        return
    if "://" not in url:
        if interface.protocol_binding != "GRPC" or not _AUTHORITY.fullmatch(url):
            notes.note("CT026", at, found=url)
        if not _AUTHORITY.fullmatch(url):
            return
        url = f"https://{url}"
    _judged(judge_url(as_http(url, interface.protocol_binding), _LINT), interface, at, notes, home)


def _judged(judged: JudgedUrl, interface: AgentInterface, at: str, notes: Notes, home: JudgedUrl | None) -> None:
    found = interface.url
    if judged.reason in _LOOPBACK:
        notes.note("CT028", at, found=found)
    elif judged.reason in _ELSEWHERE:
        notes.note("CT029", at, found=found, reason=judged.reason)
    elif judged.reason:
        notes.note("CT027", at, found=found, reason=judged.reason)
    if judged.scheme == "http" and judged.reason not in _LOOPBACK:
        notes.note("CT030", at, found=found)
    if home is not None and home.host and judged.host and judged.origin != home.origin:
        notes.note("CT031", at, found=found, origin=_shown_origin(home))


def _credential_url(name: str, url: str, at: str, notes: Notes, home: JudgedUrl | None) -> None:
    if home is None and is_plainly_public(url):
        return
    judged = judge_url(url)
    if judged.reason:
        notes.note("CT053", at, name=name, found=url, reason=judged.reason)
    if home is not None and home.host and judged.host and judged.origin != home.origin:
        notes.note("CT054", at, name=name, found=url, origin=_shown_origin(home))


def _shown_origin(home: JudgedUrl) -> str:
    return f"{home.scheme}://{home.host}" + ("" if home.port in (80, 443) else f":{home.port}")
