"""Schemes that only their name tells from one of before: a new name, the old one gone, and not a letter of the rest changed."""

from collections import defaultdict

from cardtrail.events.model.profile import Alternative, Profile, Scheme
from cardtrail.services.card.endpoint import normal_url
from cardtrail.services.card.security import parameter_name

Meaning = tuple[str, ...]


def renamed(before: Profile | None, after: Profile | None) -> dict[str, str]:
    """Name now → name before; several that are defined alike go in the order of their names, where none is left over."""
    if before is None or after is None:
        return {}
    old, new = before.schemes, after.schemes
    gone, come = _by_meaning(old, new), _by_meaning(new, old)
    return {
        name: former
        for meaning, names in come.items()
        if len(gone.get(meaning, ())) == len(names)
        for name, former in zip(names, gone[meaning], strict=True)
    }


def under_old_names(alternatives: tuple[Alternative, ...], names: dict[str, str]) -> tuple[Alternative, ...]:
    """The alternatives as they would stand had nothing been renamed."""
    if not any(name in names for one in alternatives for name in one.schemes):
        return alternatives
    return tuple(
        Alternative(schemes={names.get(name, name): scopes for name, scopes in one.schemes.items()})
        for one in alternatives
    )


def _by_meaning(schemes: dict[str, Scheme], others: dict[str, Scheme]) -> dict[Meaning, list[str]]:
    found: dict[Meaning, list[str]] = defaultdict(list)
    for name in sorted(schemes.keys() - others.keys()):
        found[_meaning(schemes[name])].append(name)
    return found


def _meaning(scheme: Scheme) -> Meaning:
    urls = sorted(f"{member} {normal_url(url)}" for member, url in scheme.urls.items())
    parts = (scheme.kind, scheme.flow, scheme.location, parameter_name(scheme), scheme.http_scheme, scheme.problem)
    return (*(part or "" for part in parts), str(scheme.pkce_required), *urls)
