"""Which addresses, hosts and URLs may be called at all. Pure: no resolution happens here, nothing is fetched.

Python's `is_private` and `is_global` are not asked: they call NAT64, 6to4 and multicast addresses global (3.11). In an
`EndpointPolicy`, `cidrs` open what is closed, `allowed_hosts` and `ports` narrow (a local name is opened by being named).
"""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

import idna

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.special import (
    GLOBAL_UNICAST,
    ISATAP_MARKS,
    LOCAL_ZONES,
    METADATA,
    METADATA_NAMES,
    RANGES,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
PUBLIC_ADDRESS = "public"
STRICT = EndpointPolicy()

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)(#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::(.*))?", re.DOTALL)
_DEFAULT_PORTS = {"https": 443, "http": 80}
_KEPT = 4096
_LONGEST_URL, _LONGEST_HOST, _HIGHEST_PORT = 4096, 253, 65535


class JudgedHost(NamedTuple):
    """A host in canonical ASCII without trailing dot; `address` where it is a literal; `reason` is "" where it may be called."""

    host: str
    address: Address | None = None
    reason: str = ""


class JudgedUrl(NamedTuple):
    """A URL taken apart; `url` is the canonical spelling to call; `reason` is "" where it may be called, else kebab-case."""

    url: str
    scheme: str = ""
    host: str = ""
    port: int = 0
    address: Address | None = None
    reason: str = ""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what "same origin" compares (RFC 6454)."""
        return (self.scheme, self.host, self.port)


def judge_address(address: str | Address) -> str:
    """`public`, or the kebab-case reason why no card may send us there; a v4-mapped address is judged as its IPv4.

    Reasons: metadata, broadcast, unspecified, loopback, private, cgnat, link-local, site-local, multicast, documentation,
    benchmark, 6to4, nat64, teredo, isatap, reserved, and not-an-address for text that is none.
    """
    try:
        plain = unmapped(ip_address(address))
    except ValueError:
        return "not-an-address"
    if plain in METADATA:
        return "metadata"
    for name, network in RANGES:
        if plain in network:
            return name
    if isinstance(plain, IPv6Address):
        if plain not in GLOBAL_UNICAST:
            return "reserved"
        if (int(plain) >> 32) & 0xFFFFFFFF in ISATAP_MARKS:
            return "isatap"
    return PUBLIC_ADDRESS


@lru_cache(maxsize=_KEPT)
def address_refusal(address: str | Address, policy: EndpointPolicy = STRICT) -> str:
    """Why this address may not be called under the policy, "" where it may; metadata only where it is named exactly."""
    kind = judge_address(address)
    if kind in (PUBLIC_ADDRESS, "not-an-address"):
        return "" if kind == PUBLIC_ADDRESS else kind
    plain = unmapped(ip_address(address))
    opened = [network for network in map(_network, policy.cidrs) if network is not None and plain in network]
    if kind == "metadata":
        opened = [network for network in opened if network.num_addresses == 1]
    return "" if opened else kind


def unmapped(address: Address) -> Address:
    """The IPv4 address inside `::ffff:a.b.c.d`; an IPv6 address without its zone; anything else as it is."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))


def judge_host(host: str, policy: EndpointPolicy = STRICT) -> JudgedHost:
    """A host name or literal, as it stands in a URL, under the policy; no name is resolved.

    Refused: odd numeric forms that `getaddrinfo` takes for IPv4, zone ids, names no IDNA 2008 registry allows, local and
    metadata names unless opened, and hosts outside `allowed_hosts`.
    """
    if host.startswith("[") or ":" in host:
        return _judge_literal(host.removeprefix("[").removesuffix("]"), policy, IPv6Address)
    name, reason = _ascii(host)
    if reason:
        return JudgedHost(host, reason=reason)
    if _NUMERIC.fullmatch(name.rpartition(".")[2]):
        return _judge_literal(name, policy, IPv4Address)
    return JudgedHost(name, reason=_name_refusal(name, policy))


def judge_url(url: str, policy: EndpointPolicy = STRICT) -> JudgedUrl:
    """A whole URL under the policy: whatever two parsers could read in two ways is refused before anything is called."""
    if len(url) > _LONGEST_URL:  # not to be remembered, either
        return JudgedUrl(url, reason="url-too-long")
    return _judge_url(url, policy)


@lru_cache(maxsize=_KEPT)
def _judge_url(url: str, policy: EndpointPolicy) -> JudgedUrl:
    match = _URL.fullmatch(url)
    reason = _spelling_refusal(url) or ("" if match else "no-scheme")
    if reason or match is None:
        return JudgedUrl(url, reason=reason)
    scheme, authority, rest, fragment = match[1].lower(), match[2], match[3], match[4]
    parts = _AUTHORITY.fullmatch(authority)
    reason = "scheme" if scheme not in _DEFAULT_PORTS else _authority_refusal(authority)
    if reason or parts is None:
        return JudgedUrl(url, scheme, reason=reason or "authority")
    port = _port(parts[2], scheme)
    judged = judge_host(parts[1], policy)
    reason = judged.reason or _rest_refusal(scheme, port, fragment, policy)
    shown = f"[{judged.host}]" if ":" in judged.host else judged.host
    suffix = "" if port == _DEFAULT_PORTS.get(scheme) else f":{port}"
    canonical = f"{scheme}://{shown}{suffix}{rest if rest.startswith('/') else '/' + rest}"
    return JudgedUrl(url if reason else canonical, scheme, judged.host, port, judged.address, reason)


def host_matches(host: str, patterns: tuple[str, ...]) -> bool:
    """Whether a canonical host is one of the patterns: exact names, or `*.example` for what lies below; never substrings."""
    for pattern in patterns:
        name = pattern.lower().rstrip(".")
        if host == name or (name.startswith("*.") and host.endswith(name[1:]) and len(host) >= len(name)):
            return True
    return False


def _judge_literal(text: str, policy: EndpointPolicy, parse: type[Address]) -> JudgedHost:
    if "%" in text:
        return JudgedHost(text, reason="zone-id")
    try:
        address = unmapped(parse(text))
    except ValueError:
        return JudgedHost(text, reason="numeric-host" if parse is IPv4Address else "address-invalid")
    reason = address_refusal(address, policy)
    if not reason and policy.allowed_hosts and not host_matches(str(address), policy.allowed_hosts):
        reason = "host-not-allowed"
    return JudgedHost(str(address), address, reason)


def _ascii(text: str) -> tuple[str, str]:
    """The lower-case A-label form, and why there is none."""
    name = text.removesuffix(".")
    if not name.isascii() and any(not char.isascii() and char.isdigit() for char in name):
        return text, "non-ascii-digits"
    lowered = name.lower() if name.isascii() else "".join(char.lower() if char.isascii() else char for char in name)
    try:
        if not lowered.isascii():
            lowered = idna.encode(lowered, strict=True).decode("ascii")
        elif any(label.startswith("xn--") for label in lowered.split(".")):
            idna.decode(lowered, strict=True)
    except (idna.IDNAError, UnicodeError):
        return text, "idn-invalid"
    if not lowered or len(lowered) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, lowered.split("."))):
        return text, "host-invalid"
    return lowered, ""


def _name_refusal(name: str, policy: EndpointPolicy) -> str:
    if name in METADATA_NAMES:
        return "" if name in policy.allowed_hosts else "metadata"
    if policy.allowed_hosts:
        return "" if host_matches(name, policy.allowed_hosts) else "host-not-allowed"
    zone = name.rpartition(".")[2]
    if zone == "localhost":
        return address_refusal("127.0.0.1", policy) and address_refusal("::1", policy)
    if (zone in LOCAL_ZONES or name.endswith(".home.arpa") or "." not in name) and not policy.cidrs:
        return "local-name"
    return ""


def _spelling_refusal(url: str) -> str:
    if "\\" in url:
        return "backslash"
    if " " in url or not url.isprintable():
        return "control-character"
    return ""


def _authority_refusal(authority: str) -> str:
    if "@" in authority:
        return "userinfo"
    if "%" in authority:
        return "zone-id" if authority.startswith("[") else "percent-encoded-host"
    return "" if authority else "no-host"


def _rest_refusal(scheme: str, port: int, fragment: str | None, policy: EndpointPolicy) -> str:
    if port == 0:
        return "port"
    if fragment is not None:
        return "fragment"
    if scheme == "http" and not policy.cleartext:
        return "cleartext"
    return "port-not-allowed" if policy.ports and port not in policy.ports else ""


def _port(text: str | None, scheme: str) -> int:
    if text is None:
        return _DEFAULT_PORTS.get(scheme, 0)
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > _HIGHEST_PORT:
        return 0
    return int(text)


@lru_cache(maxsize=1024)
def _network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None  # a network nobody can read opens nothing
