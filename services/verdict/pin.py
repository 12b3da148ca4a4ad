"""The smallest lock for the skills named, or the lock that needs everything; the same profile and instant give the same lock."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, NamedTuple

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.events.model.lockfile import Credential, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Alternative, Identity, Interface, Profile, Scheme
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.card.paths import shown
from cardtrail.services.card.unusable import UNUSABLE
from cardtrail.services.verdict.access_changes import hosts
from cardtrail.services.verdict.view import Baseline


class Wanted(NamedTuple):
    """What a workflow needs of a profile: skill ids, optional operations, extensions it activates; `everything` is all of it."""

    skills: tuple[str, ...] = ()
    streaming: bool = False
    push: bool = False
    extended_card: bool = False
    extensions: tuple[str, ...] = ()
    everything: bool = False


def pin(  # noqa: PLR0913 — what a lock says of its agent and its workflow
    profile: Profile,
    identity: Identity,
    *,
    workflow: str,
    agent: str,
    card_digest: str,
    now: datetime,
    skills: Iterable[str] = (),
    everything: bool = False,
    streaming: bool = False,
    push: bool = False,
    extended_card: bool = False,
    extensions: Iterable[str] = (),
    texts_digest: str = "",
    owner: str = "",
    with_baseline: bool = True,
) -> Lockfile:
    """The lock to propose; with its baseline, `check` can judge offline what changed and not only what is missing.

    Raises:
        InputRefused: `profile-unusable`, where there is nothing to depend on.
        UsageError: `skill-unknown`, `capability-unknown` or `extension-unknown`, where the profile does not offer what is wanted.
    """
    chosen = _callable(profile)
    wanted = Wanted(tuple(skills), streaming, push, extended_card, tuple(extensions), everything)
    baseline = Baseline(
        profile=profile.model_copy(update={"provenance": {}}), identity=identity, texts_digest=texts_digest
    )
    return Lockfile(
        workflow=workflow,
        owner=owner,
        agent=agent,
        pinned_at=now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        card_digest=card_digest,
        profile_digest=profile_digest(profile),
        agent_version=identity.version,
        interface=LockedInterface(
            binding=chosen.binding, version=chosen.version, url=chosen.url, tenant=chosen.tenant or ""
        ),
        requires=requirements(profile, wanted),
        baseline=_plain(baseline) if with_baseline else None,
    )


def _callable(profile: Profile) -> Interface:
    if profile.usable and profile.interface is not None:
        return profile.interface
    details = "; ".join(reason.detail for reason in profile.reasons) or "no interface to call"
    hint = next((UNUSABLE[reason.code].hint for reason in profile.reasons), "")
    raise InputRefused("profile-unusable", f"this client cannot call the agent: {details}", hint=hint)


def requirements(profile: Profile, wanted: Wanted) -> Requires:
    """The needs, each checked against what the profile offers; required extensions are always among them."""
    ids = sorted(profile.skills) if wanted.everything else sorted(set(wanted.skills))
    for id_ in ids:
        _must_have("skill", id_, profile.skills)
    declared = {extension.uri for extension in profile.extensions}
    for uri in wanted.extensions:
        _must_have("extension", uri, declared)
    required = {extension.uri for extension in profile.extensions if extension.required}
    return Requires(
        streaming=_flag(profile, wanted, "streaming"),
        push=_flag(profile, wanted, "push"),
        extended_card=_flag(profile, wanted, "extended_card"),
        skills={id_: skill_need(profile, id_, every_way=wanted.everything) for id_ in ids},
        extensions=tuple(sorted(required | set(wanted.extensions))),
    )


def skill_need(profile: Profile, id_: str, *, every_way: bool) -> SkillNeed:
    """All modes of a skill, and the scopes of its first way in (card level and its own), or of every way."""
    skill = profile.skills[id_]
    scopes = {
        scope for level in (profile.security, skill.security or ()) for scope in _scopes(level, every_way=every_way)
    }
    return SkillNeed(input=skill.input, output=skill.output, scopes=tuple(sorted(scopes)))


def credentials_asked_for(profile: Profile) -> dict[str, Credential]:
    """Exactly the credentials that some way in asks for, by scheme name, with all scopes and hosts; unread, where broken."""
    asked: dict[str, set[str]] = {}
    levels = (profile.security, *(skill.security or () for skill in profile.skills.values()))
    for one in (one for level in levels for one in level):
        for name, scopes in one.schemes.items():
            asked.setdefault(name, set()).update(scopes)
    return {name: _credential(profile.schemes.get(name), scopes) for name, scopes in sorted(asked.items())}


def _credential(scheme: Scheme | None, scopes: Iterable[str]) -> Credential:
    asked = tuple(sorted(scopes))
    if scheme is None or scheme.kind == "unreadable":
        return Credential(scopes=asked)
    return Credential(kind=scheme.kind, flow=scheme.flow, scopes=asked, hosts=tuple(hosts(scheme.urls.values())))


def _scopes(level: Sequence[Alternative], *, every_way: bool) -> Iterable[str]:
    ways = level if every_way else level[:1]
    return (scope for one in ways for scopes in one.schemes.values() for scope in scopes)


def _flag(profile: Profile, wanted: Wanted, flag: str) -> bool:
    offered = bool(getattr(profile, flag))
    if getattr(wanted, flag) and not offered:
        raise UsageError("capability-unknown", f"the card does not declare {flag}", hint=f"pin without {flag}")
    return offered if wanted.everything else bool(getattr(wanted, flag))


def _must_have(what: str, name: str, offered: Iterable[str]) -> None:
    known = sorted(offered)
    if name in known:
        return
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the card offers {', '.join(known[:5]) or 'none'}"
    raise UsageError(f"{what}-unknown", f"the card offers no {what} {shown(name)}", hint=hint)


def _plain(baseline: Baseline) -> dict[str, Any]:
    return baseline.model_dump(mode="json", exclude_defaults=True)
