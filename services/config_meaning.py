"""Settings that read well and can mean nothing: networks, ports, hosts, addresses, rules, bindings that are none. Pure.

Told with the key, the reason and what to write; a setting that does nothing is worse than one that is refused.
"""

import ipaddress
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.card.shape import protocol_version
from cardtrail.services.config_trust import Problem
from cardtrail.services.outbound.address import judge_url
from cardtrail.services.settings import Settings
from cardtrail.services.verdict.rules import RULES

Path = tuple[str, ...]
_KINDS = ClientCapabilities().schemes
_PORTS = range(1, 65_536)


def empty_problems(settings: Settings) -> Iterator[Problem]:
    """Everything of the kind, in the order of the settings."""
    yield from client_problems(settings.client)
    for id_ in settings.policy.severities:
        if id_ not in RULES:
            near = get_close_matches(id_, RULES, n=1)
            hint = f"did you mean {near[0]}?" if near else "cardtrail rules lists them"
            yield Problem(("policy", "severities", id_), f'"{id_}" is no rule', hint)
    if settings.tls.proxy and not settings.tls.proxy.startswith(("http://", "https://")):
        yield Problem(("tls", "proxy"), f'"{settings.tls.proxy}" is no URL', "write http://host:port")
    for name, address in settings.hosts.items():
        if not _is_address(address):
            yield Problem(
                ("hosts", name), f'"{address}" is no IP address', "write the address that the name stands for"
            )
    yield from _reach(settings)
    for name, cost in settings.discovery.costs.items():
        if not cost >= 0:
            yield Problem(("discovery", "costs", name), f"{cost}: a cost is 0 or more", "write what a call costs")


def nul_problems(value: object, at: Path = ()) -> Iterator[Problem]:
    """Texts with a NUL, which no path, name or address can have; `value` is the file as TOML reads it.

    A card that stands in the settings is judged as a card.
    """
    if at[:1] == ("agents",) and at[2:] == ("document",):
        return
    if isinstance(value, str) and "\0" in value:
        yield Problem(at, "a text with a NUL character", "take it out")
    elif isinstance(value, list):
        for one in value:
            yield from nul_problems(one, at)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from nul_problems(one, (*at, name))


def _reach(settings: Settings) -> Iterator[Problem]:
    """Networks, hosts and ports, wherever they stand."""
    for table, held in (("agents", settings.agents), ("registries", settings.registries)):
        for name, one in held.items():
            yield from _networks((table, name), one.networks)
            yield from _hosts((table, name), one.allowed_hosts)
            yield from _ports((table, name), one.ports)
    for table, others in (
        ("credentials", settings.credentials),
        ("channels", settings.channels),
        ("keys", settings.keys),
    ):
        for name, other in others.items():
            yield from _networks((table, name), other.networks)


def client_problems(client: ClientCapabilities) -> Iterator[Problem]:
    """The same of the capabilities alone, as a `--client` file has them.

    Bindings and odd versions are compared letter by letter: some card may have them.
    """
    for _, version in client.interfaces:
        matched = protocol_version(version)
        if matched not in {None, version}:
            said = f'"{version}": no card matches it, only Major.Minor takes part'
            yield Problem(("client", "interfaces"), said, f'write "{matched}"')
    for scheme in client.schemes:
        if scheme.partition("/")[0] not in _KINDS:
            yield Problem(("client", "schemes"), f'"{scheme}" is no kind of security', f"one of {', '.join(_KINDS)}")


def _networks(at: Path, networks: Iterable[str]) -> Iterator[Problem]:
    for network in networks:
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError:
            yield Problem((*at, "networks"), f'"{network}" is no network', 'write "10.20.0.0/16", or one address')


def _hosts(at: Path, hosts: Iterable[str]) -> Iterator[Problem]:
    for host in hosts:
        bare = host.removeprefix("*.")
        if set(bare) & set("*/") or not judge_url(f"https://{bare}/").host:
            yield Problem(
                (*at, "allowed_hosts"), f'"{host}" is no host', 'write "partner.example" or "*.partner.example"'
            )


def _ports(at: Path, ports: Iterable[int]) -> Iterator[Problem]:
    for port in ports:
        if port not in _PORTS:
            yield Problem((*at, "ports"), f"{port} is no port", "write 1 to 65535")


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
