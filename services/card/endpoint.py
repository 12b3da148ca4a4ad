"""Endpoint URLs as text: their normal form, which of them need no judging, where they stood in the card."""

import re

from cardtrail.events.model.card import AgentInterface
from cardtrail.events.model.profile import Interface
from cardtrail.services.outbound.address import judge_host
from cardtrail.services.outbound.special import LOCAL_ZONES, METADATA_NAMES

_LABEL = "(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PUBLIC = re.compile(rf"https://((?:{_LABEL}\.)+([a-z][a-z0-9]{{1,62}}))(?::[1-9][0-9]{{0,3}})?(?:[/?][!\"$-\[\]-~]*)?")
_NORMAL = re.compile(
    rf"https?://(?:{_LABEL}\.)*[a-z][a-z0-9]{{1,62}}(?!:443\b|:80\b)(?::[1-9][0-9]{{0,4}})?"
    r"(/|(?:/(?!\.\.?(?:/|\Z))[A-Za-z0-9._~!$&'()*+,;=:@-]+)+/?)?"
)
_LONGEST = 250
_LONGEST_NORMAL = 4096
_NOT_PUBLIC = LOCAL_ZONES | {"localhost", "arpa"}
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(.*)", re.DOTALL)
_PORT = re.compile(r":[0-9]*$")
_DEFAULT_PORTS = {"https": "443", "http": "80", "wss": "443", "ws": "80"}
_TARGET = re.compile(r"[^/?#@\s]+:\d{1,5}", re.ASCII)
_AS_HTTP = {"grpc": "http", "grpcs": "https", "ws": "http", "wss": "https", "dns": "https"}
_CARRIERS: dict[str, tuple[str, ...]] = {"JSONRPC": (), "HTTP+JSON": (), "GRPC": ("grpc", "grpcs", "dns")}
_NOT_A_HOST = frozenset(
    ("host-invalid", "idn-invalid", "address-invalid", "numeric-host", "zone-id", "non-ascii-digits")
)
DOTS = frozenset((".", ".."))
"""Segments that lead a URL to another path, however they are escaped (RFC 3986 §5.2.4)."""
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def is_plainly_public(url: str) -> bool:
    """Whether a URL is https to a public name in its simplest spelling: nothing is left to judge."""
    match = _PUBLIC.fullmatch(url) if len(url) <= _LONGEST else None
    return match is not None and match[2] not in _NOT_PUBLIC and match[1] not in METADATA_NAMES


def as_http(url: str, binding: str = "") -> str:
    """The web URL of the same place, to be judged: of a gRPC target (`host:port`, `dns:///`, `grpc://`) or a WebSocket.

    JSON-RPC and HTTP+JSON are carried by HTTP alone (A2A §9, §11), gRPC by no WebSocket: with their `binding`, a URL by which
    they cannot be called stays as it is.
    """
    head, mark, tail = url.partition("://")
    scheme, rest = (head.lower(), tail.lstrip("/")) if mark else ("", url)
    if not scheme and _TARGET.fullmatch(rest):
        scheme = "dns"
    return f"{_AS_HTTP[scheme]}://{rest}" if scheme in _CARRIERS.get(binding, _AS_HTTP) else url


def normal_url(url: str) -> str:
    """One spelling for all that are the same URL (RFC 3986 §6.2): to compare and to digest, never to write back.

    Scheme and host in lower case (A-labels), no default port, `/` for an empty path, escapes in upper case and only where
    needed, no dot segments. A text that is no absolute URL, or longer than 4096 characters, stays as it is.
    """
    if normal := _NORMAL.fullmatch(url):
        return url if normal[1] else f"{url}/"
    match = _PARTS.fullmatch(url.strip()) if len(url) <= _LONGEST_NORMAL else None
    if match is None:
        return url.strip()
    scheme, authority, path, rest = match[1].lower(), match[2], match[3], match[4]
    return f"{scheme}://{_authority(scheme, authority)}{_path(_unescaped(path))}{_unescaped(rest)}"


def unfit_interface(interface: Interface) -> str:
    """Why no request reaches an interface as it is stated, "" where one does."""
    if "#" in interface.url:
        return "its URL has a fragment, which is never sent: what follows it would be lost"
    if interface.binding == "HTTP+JSON" and interface.tenant in DOTS:
        return f'its tenant "{interface.tenant}" leads to another path'
    return ""


def member_at(interface: AgentInterface, name: str) -> str:
    """The JSON path of `url`, `protocolBinding` or `protocolVersion` of an endpoint of any generation."""
    at = interface.at
    if at.startswith("$.supported"):
        return f"{at}.{name}"
    if name == "protocolVersion":
        return "$.protocolVersion"
    if at == "$.url":
        return "$.url" if name == "url" else "$.preferredTransport"
    return f"{at}.{'url' if name == 'url' else 'transport'}"


def _authority(scheme: str, authority: str) -> str:
    user, at, place = authority.rpartition("@")
    host, colon, port = place.rpartition(":") if _PORT.search(place) else (place, "", "")
    judged = judge_host(host)
    name = host.lower() if judged.reason in _NOT_A_HOST else judged.host
    shown = f"[{name}]" if ":" in name and not name.startswith("[") else name
    keep = colon and port and port != _DEFAULT_PORTS.get(scheme)
    return f"{user}{at}{shown}{':' + port if keep else ''}"


def _path(path: str) -> str:
    segments: list[str] = []
    parts = path.split("/")
    for part in parts[1:]:
        if part == "..":
            del segments[-1:]
        elif part != ".":
            segments.append(part)
    if parts[-1] in (".", ".."):
        segments.append("")
    return "/" + "/".join(segments)


def _unescaped(text: str) -> str:
    """Escapes in upper case, none for a character that needs none; until nothing moves (`%%37e` unfolds twice)."""
    if "%" not in text:
        return text
    plain = _ESCAPE.sub(_escape, text)
    while plain != text:
        text, plain = plain, _ESCAPE.sub(_escape, plain)
    return plain


def _escape(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()
