"""How the ways in changed since the lock was pinned: alternatives, definitions of schemes, hosts that credentials go to."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from cardtrail.events.model.lockfile import Credential
from cardtrail.events.model.profile import Alternative, Scheme
from cardtrail.services.card.endpoint import normal_url
from cardtrail.services.card.security import parameter_name
from cardtrail.services.outbound.address import judge_url
from cardtrail.services.verdict.access import Alternatives, Level, levels, refusals
from cardtrail.services.verdict.endpoints import ANYWHERE
from cardtrail.services.verdict.scheme_names import under_old_names
from cardtrail.services.verdict.view import View

_MOST_PAIRS = 40_000
"""Pairs of alternatives that are compared; a card with more says too much to be called anything but changed."""
How = Literal["relaxed", "widened", "changed"]
"""Less is asked for; further ways in beside all that there were; anything else."""


def changed_levels(view: View, how: How) -> Iterator[tuple[Level, list[Any], list[Any]]]:
    """(level, before, now) of each level that can be met and asks in this way for something else than before.

    A scheme that only its name tells from one of before counts as that one.
    """
    names = view.renamed_schemes
    for level in levels(view):
        if level.before is not None and not refusals(view, level):
            after = under_old_names(level.after, names)
            if shown(level.before) != shown(after) and how == _how(level.before, after):
                yield level, shown(level.before), shown(level.after)


def changed_definitions(view: View) -> Iterator[tuple[str, Any, Any]]:
    """(scheme name, before, now) of each scheme that a level which can be met asks for, and that is defined otherwise.

    None stands for a declaration that is missing. A URL that moved to another host is not told here: it is a rule of its own,
    and none where the lock names the host.
    """
    if view.before is None or view.after is None:
        return
    met = [level for level in levels(view) if not refusals(view, level)]
    for name in sorted(_asked(level.after for level in met) & _asked(level.before or () for level in met)):
        old, new = view.before.schemes.get(name), view.after.schemes.get(name)
        before, after = (definition(scheme) if scheme else None for scheme in (old, new))
        if before != after:
            yield name, before, after
        elif old and new and _spelt(old.urls) != _spelt(new.urls) and not _other_hosts(view, name, old, new):
            yield name, _spelt(old.urls), _spelt(new.urls)


def in_play(view: View) -> dict[str, tuple[Scheme, Scheme]]:
    """Scheme name → (before, now) for each scheme that some level asks for and that both profiles declare."""
    if view.after is None or view.before is None:
        return {}
    old, new = view.before.schemes, view.after.schemes
    asked = _asked(level.after for level in levels(view))
    return {name: (old[name], new[name]) for name in sorted(asked) if name in old and name in new}


def new_hosts(view: View, name: str, old: Scheme, new: Scheme) -> list[str]:
    """Hosts that would be sent credentials for the scheme and that neither it nor the lock's credential knew."""
    known = {*hosts(old.urls.values()), *_held(view, name)}
    return [host for host in hosts(new.urls.values()) if host not in known] if known else []


def _other_hosts(view: View, name: str, old: Scheme, new: Scheme) -> bool:
    strange = set(hosts(new.urls.values())) - set(hosts(old.urls.values()))
    return bool(strange) and (strange <= _held(view, name) or bool(new_hosts(view, name, old, new)))


def _held(view: View, name: str) -> set[str]:
    """The hosts that the lock's credential for the scheme was issued for."""
    return {host.lower() for host in (view.lock.credentials or {}).get(name, Credential()).hosts}


def hosts(urls: Iterable[str]) -> list[str]:
    """The hosts behind URLs in canonical form, sorted; the URL itself where it has none."""
    return sorted({judge_url(url, ANYWHERE).host or url for url in urls})


def shown(alternatives: Alternatives) -> list[dict[str, list[str]]]:
    """Alternatives as a JSON value that neither order nor repetition changes; anonymous access alone is no alternative."""
    plain = {
        tuple(sorted((name, tuple(sorted(set(scopes)))) for name, scopes in one.schemes.items()))
        for one in alternatives
    }
    return [{name: list(scopes) for name, scopes in one} for one in sorted(plain)] if plain != {()} else []


def definition(scheme: Scheme) -> dict[str, Any]:
    """All that redefines a scheme, apart from its URLs."""
    known = scheme.model_copy(update={"parameter": parameter_name(scheme)})
    return known.model_dump(mode="json", exclude={"urls", "problem"}, exclude_none=True)


def _how(before: Alternatives, after: Alternatives) -> How:
    if len(before) * len(after) > _MOST_PAIRS:
        return "changed"
    if is_relaxed(before, after):
        return "relaxed"
    return "widened" if _ways(before) <= _ways(after) else "changed"


def is_relaxed(before: Alternatives, after: Alternatives) -> bool:
    """Whether less is asked for than before: anonymous access gained, or a strictly weaker way in and none taken away."""
    if _open(after):
        return not _open(before)
    weaker = any(_within(new, old) and not _within(old, new) for new in after for old in before)
    return weaker and all(any(_within(new, old) for new in after) for old in before)


def _asked(alternatives: Iterable[Alternatives]) -> set[str]:
    return {name for ways in alternatives for one in ways for name in one.schemes}


def _ways(alternatives: Alternatives) -> set[frozenset[tuple[str, frozenset[str]]]]:
    """The alternatives as a set; nobody asked is the one that asks for nothing."""
    ways = {frozenset((name, frozenset(scopes)) for name, scopes in one.schemes.items()) for one in alternatives}
    return ways or {frozenset()}


def _spelt(urls: dict[str, str]) -> dict[str, str]:
    return {member: normal_url(url) for member, url in sorted(urls.items())}


def _open(alternatives: Alternatives) -> bool:
    return not alternatives or any(not one.schemes for one in alternatives)


def _within(one: Alternative, other: Alternative) -> bool:
    return all(
        name in other.schemes and set(scopes) <= set(other.schemes[name]) for name, scopes in one.schemes.items()
    )
