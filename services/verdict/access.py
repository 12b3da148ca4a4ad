"""Whether the workflow can be let in: the card's alternatives against the credentials and scopes that the lock states.

Card and skill level hold together. A scheme that is undeclared or unreadable cannot be met, unless it was so when the lock was
pinned. Where the lock states no credentials it is taken to hold its own scopes and a credential of each kind that the baseline
asked for, scopes included; without a baseline only scopes are judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from cardtrail.events.model.lockfile import Credential
from cardtrail.events.model.profile import Alternative, Scheme
from cardtrail.services.verdict.view import View

Alternatives = tuple[Alternative, ...]


@dataclass(frozen=True)
class Level:
    """The card's security requirements or one needed skill's; `before` None where not known, `scopes` None where not stated."""

    subject: str
    member: str
    before: Alternatives | None
    after: Alternatives
    scopes: tuple[str, ...] | None

    @property
    def needs(self) -> list[str] | None:
        """The scopes as a JSON value."""
        return None if self.scopes is None else list(self.scopes)


def levels(view: View) -> Iterator[Level]:
    """The card's level, then that of each needed skill that is still offered."""
    if view.after is None:
        return
    needs = view.lock.requires.skills.values()
    every = tuple(sorted({scope for need in needs for scope in need.scopes})) if needs else None
    yield Level("security", "security", view.before.security if view.before else None, view.after.security, every)
    for skill in view.skills:
        if skill.after is None:
            continue
        old = (skill.before.security or ()) if skill.before else None
        subject, member = f"skills[{skill.id}].security", f"skills.{skill.id}.security"
        yield Level(subject, member, old, skill.after.security or (), skill.need.scopes)


def refusals(view: View, level: Level) -> tuple[str, ...]:
    """Why no alternative of the level can be met, a reason for each; empty where one can, or none is asked for."""
    reasons = [_refusal(view, alternative, level) for alternative in level.after]
    return () if "" in reasons else tuple(reasons)


def _refusal(view: View, alternative: Alternative, level: Level) -> str:
    for name, scopes in sorted(alternative.schemes.items()):
        reason = _scheme_refusal(view, name, scopes, level)
        if reason:
            return reason
    return ""


def _scheme_refusal(view: View, name: str, scopes: tuple[str, ...], level: Level) -> str:
    scheme = view.after.schemes.get(name) if view.after else None
    if scheme is None or scheme.kind == "unreadable":
        if _was_broken(view, view.renamed_schemes.get(name, name)):
            return ""
        return f"scheme {name} is not declared" if scheme is None else f"scheme {name} cannot be read"
    able = view.policy.client.schemes
    if scheme.kind not in able and f"{scheme.kind}/{scheme.flow}" not in able:
        return f"the client does not implement scheme {name} ({scheme.kind})"
    held = set(level.scopes or ())
    if view.lock.credentials is not None:
        credential = _credential(view, view.lock.credentials, name, scheme)
        if credential is None:
            return f"no credential is held for scheme {name} ({'/'.join(filter(None, (scheme.kind, scheme.flow)))})"
        held |= set(credential.scopes)
    elif not held.intersection(scopes) and _is_strange(view, scheme):
        return f"nothing shows that a credential is held for scheme {name} ({scheme.kind})"
    elif level.scopes is None:
        return ""
    else:
        held |= _forgiven_scopes(view.renamed_schemes.get(name, name), level)
    lacking = sorted(set(scopes) - held)
    return f"scheme {name} asks for scopes not held: {', '.join(lacking)}" if lacking else ""


def _is_strange(view: View, scheme: Scheme) -> bool:
    """Whether no credential of that kind was asked for when the lock was pinned; an unreadable scheme then may have been it."""
    if view.before is None:
        return False
    names = {name for one in _alternatives(view) for name in one.schemes}
    asked = [view.before.schemes.get(name) for name in names]
    return all(one is not None and one.kind != "unreadable" and _kind(one) != _kind(scheme) for one in asked)


def _kind(scheme: Scheme) -> tuple[str, str | None]:
    return scheme.kind, scheme.http_scheme


def _credential(view: View, held: dict[str, Credential], name: str, scheme: Scheme) -> Credential | None:
    """The credential for the scheme: under its name where it fits, else that of a scheme which it is under a new name."""
    old = view.before.schemes if view.before else {}
    own = held.get(name)
    if own is not None and _fits(own, old.get(name), scheme):
        return own
    return next(
        (held[other] for other in sorted(held) if other in old and _renamed(view, other, old[other], scheme)), None
    )


def _renamed(view: View, name: str, before: Scheme, scheme: Scheme) -> bool:
    """Whether a scheme is an old one under a new name: defined alike, or of one kind with one that is gone."""
    is_gone = view.after is not None and name not in view.after.schemes
    kinds = {(one.kind, one.flow, one.http_scheme) for one in (before, scheme)}
    return before == scheme or (is_gone and len(kinds) == 1)


def _fits(credential: Credential, before: Scheme | None, scheme: Scheme) -> bool:
    """Whether what is held under the name still serves; of a scheme that could not be read nothing is known to differ."""
    known = before if before is not None and before.kind != "unreadable" else None
    kind = credential.kind or (known.kind if known else None)
    flow = credential.flow or (known.flow if known else None)
    return (
        kind in (None, scheme.kind)
        and flow in (None, scheme.flow)
        and (known is None or known.http_scheme == scheme.http_scheme)
    )


def _was_broken(view: View, name: str) -> bool:
    if view.before is None:
        return False
    asked = any(name in one.schemes for one in _alternatives(view))
    scheme = view.before.schemes.get(name)
    return asked and (scheme is None or scheme.kind == "unreadable")


def _forgiven_scopes(name: str, level: Level) -> set[str]:
    return {scope for one in level.before or () for scope in one.schemes.get(name, ())}


def _alternatives(view: View) -> Iterator[Alternative]:
    if view.before is not None:
        yield from view.before.security
        for skill in view.before.skills.values():
            yield from skill.security or ()
