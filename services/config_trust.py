"""Settings about discovery and trust that read well and mean nothing: told with the key, the reason and what to write. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cardtrail.events.errors import UsageError
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.card.key_store import origin_of
from cardtrail.services.discovery_settings import KeySettings, RegistrySettings
from cardtrail.services.outbound.address import judge_url
from cardtrail.services.registry_place import registry_place
from cardtrail.services.settings import Settings

_ANYWHERE = EndpointPolicy(cidrs=("0.0.0.0/0", "::/0"))


class Problem(NamedTuple):
    """A setting by its path, what is wrong with it, what to do."""

    path: tuple[str, ...]
    message: str
    hint: str


def problems(settings: Settings) -> Iterator[Problem]:
    """Everything wrong with references, keys and registries, in the order of the settings."""
    yield from _references(settings)
    for origin, keys in settings.keys.items():
        yield from _of_keys(origin, keys)
    for name, registry in settings.registries.items():
        yield from _of_registry(name, registry)


def _references(settings: Settings) -> Iterator[Problem]:
    """Credentials and channels that are named and declared nowhere."""
    for name, agent in settings.agents.items():
        asked: dict[tuple[str, ...], str] = {
            ("credentials", principal): held for principal, held in agent.credentials.items()
        }
        yield from _unknown(("agents", name), asked, settings.credentials)
    for name, flow in settings.workflows.items():
        yield from _unknown(
            ("workflows", name), {("channel",): flow.channel} if flow.channel else {}, settings.channels
        )
    for name, registry in settings.registries.items():
        named: dict[tuple[str, ...], str] = {("credential",): registry.credential} if registry.credential else {}
        named |= {("credentials", principal): held for principal, held in registry.credentials.items()}
        yield from _unknown(("registries", name), named, settings.credentials)


def _of_keys(origin: str, keys: KeySettings) -> Iterator[Problem]:
    plain = origin_of(origin)
    if not plain.startswith(("https://", "http://")):
        yield Problem(
            ("keys", origin), f'"{origin}" is no origin', 'write "https://host", with a port where it has one'
        )
    elif plain != origin:
        yield Problem(("keys", origin), f'"{origin}" is more than an origin', f'write "{plain}"')
    for url in keys.urls:
        reason = judge_url(url, _ANYWHERE).reason
        if reason:
            yield Problem(("keys", origin, "urls"), f'"{url}": {reason}', "give the https URL of the key set")


def _of_registry(name: str, registry: RegistrySettings) -> Iterator[Problem]:
    try:
        registry_place(registry.source)
    except UsageError as error:
        yield Problem(("registries", name, "source"), f'"{registry.source}": {error.message}', error.hint)
    if "/" in name or not name.isprintable():
        yield Problem(("registries", name), f'"{name}" cannot begin the names of its agents', "use a name without /")


def _unknown(
    at: tuple[str, ...], named: Mapping[tuple[str, ...], str], known: Mapping[str, object]
) -> Iterator[Problem]:
    for path, value in named.items():
        if value not in known:
            hint = f"declared: {', '.join(known) or 'none'}"
            yield Problem((*at, *path), f'"{value}" is declared nowhere', hint)
