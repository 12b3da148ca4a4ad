"""A lock brought up to date with a new profile: what is needed stays needed, and each need that is no longer met is named."""

from datetime import datetime
from typing import Any, NamedTuple

from cardtrail.events.model.lockfile import Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Identity, Profile
from cardtrail.services.card.paths import member
from cardtrail.services.verdict.capabilities import FLAGS
from cardtrail.services.verdict.modes import Offer
from cardtrail.services.verdict.pin import pin, skill_need
from cardtrail.services.verdict.renames import Renames

_SHOWN = 5


class LockChange(NamedTuple):
    """A member of the lock (JSON path) that gets another value, and why."""

    path: str
    before: Any
    after: Any
    reason: str


class Updated(NamedTuple):
    """The new lock and what differs from the old one, in the lock's order; `unmet` are the changes that were not made.

    Each of these would need less than the workflow does, so that a card that breaks it would pass.
    """

    lockfile: Lockfile
    changes: tuple[LockChange, ...]
    unmet: tuple[LockChange, ...] = ()


def pin_update(  # noqa: PLR0913 — what a lock says of its agent
    lock: Lockfile,
    profile: Profile,
    identity: Identity,
    *,
    card_digest: str,
    now: datetime,
    texts_digest: str = "",
    need_less: bool = False,
) -> Updated:
    """The lock for the same workflow over a new profile; a person reads the changes before it takes the old one's place.

    With `need_less`, what the card no longer meets is needed no more.

    Raises:
        InputRefused: `profile-unusable`.
    """
    fresh = pin(
        profile,
        identity,
        workflow=lock.workflow,
        agent=lock.agent,
        card_digest=card_digest,
        now=now,
        texts_digest=texts_digest,
        with_baseline=lock.baseline is not None,
    )
    found = _Found([], [], need_less=need_less)
    needs = Requires(
        **_flags(lock, profile, found),
        skills=_skills(lock, profile, found),
        extensions=_extensions(lock, profile, found),
    )
    renewed = ("pinned_at", "card_digest", "profile_digest", "agent_version", "interface", "baseline")
    update = {name: getattr(fresh, name) for name in renewed}
    new = lock.model_copy(update={**update, "requires": needs, "verified": {}, "integrity": ""})
    return Updated(new, (*_identity_changes(lock, new), *found.changes), tuple(found.unmet))


class _Found(NamedTuple):
    """What is found on the way, and whether unmet needs give way."""

    changes: list[LockChange]
    unmet: list[LockChange]
    need_less: bool

    def lost(self, change: LockChange) -> None:
        """A need that is not met: a change where less is to be needed, else none."""
        (self.changes if self.need_less else self.unmet).append(change)


def _identity_changes(lock: Lockfile, new: Lockfile) -> list[LockChange]:
    reasons = {"agent_version": "the agent calls itself so now", "interface": "the interface to call now"}
    pairs = ((name, getattr(lock, name), getattr(new, name), reason) for name, reason in reasons.items())
    return [
        LockChange(f"$.{name}", _json(old), _json(now), reason)
        for name, old, now, reason in pairs
        if _json(old) != _json(now)
    ]


def _json(value: Any) -> Any:  # noqa: ANN401 — a JSON value, or a model made one
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _flags(lock: Lockfile, profile: Profile, found: _Found) -> dict[str, bool]:
    kept: dict[str, bool] = {}
    for flag in FLAGS:
        needed, offered = getattr(lock.requires, flag), getattr(profile, flag)
        kept[flag] = needed and (offered or not found.need_less)
        if needed and not offered:
            found.lost(LockChange(f"$.requires.{flag}", True, False, "the card no longer declares it"))  # noqa: FBT003 — JSON values
    return kept


def _skills(lock: Lockfile, profile: Profile, found: _Found) -> dict[str, SkillNeed]:
    kept = {}
    renames = Renames(profile.skills.keys() - lock.requires.skills.keys())
    for id_, need in sorted(lock.requires.skills.items()):
        path = member("$.requires.skills", id_)
        if id_ in profile.skills:
            kept[id_] = _skill(path, need, profile, id_, found)
            continue
        twin = renames.likely(id_)
        reason = "the card no longer offers it" + (f"; probably renamed to {twin}" if twin else "")
        found.lost(LockChange(path, need.model_dump(mode="json"), None, reason))
        if not found.need_less:
            kept[id_] = need
    return kept


def _skill(path: str, need: SkillNeed, profile: Profile, id_: str, found: _Found) -> SkillNeed:
    offered, scopes = profile.skills[id_], skill_need(profile, id_, every_way=False).scopes
    new = SkillNeed(
        input=_modes(f"{path}.input", need.input, Offer(offered.input), found),
        output=_modes(f"{path}.output", need.output, Offer(offered.output), found, in_part=True),
        scopes=scopes,
    )
    if set(need.scopes) != set(scopes):
        found.changes.append(LockChange(f"{path}.scopes", list(need.scopes), list(scopes), "what it asks for now"))
    return new


def _modes(path: str, wanted: tuple[str, ...], have: Offer, found: _Found, *, in_part: bool = False) -> tuple[str, ...]:
    """The wanted modes in their new spelling; with `in_part`, a range is met by whatever lies in it."""
    met = {
        mode: mode if have.covers(mode) or (in_part and have.lies_in(mode)) else have.respelling(mode)
        for mode in wanted
    }
    every = tuple(dict.fromkeys(now or mode for mode, now in met.items()))
    left = tuple(dict.fromkeys(now for now in met.values() if now))
    if set(every) != set(wanted):
        found.changes.append(LockChange(path, list(wanted), list(every), "as the card spells it now"))
    if left != every:
        offered = ", ".join([*have][:_SHOWN]) or "nothing"
        found.lost(LockChange(path, list(every), list(left), f"the card has {offered} there"))
    return left if found.need_less else every


def _extensions(lock: Lockfile, profile: Profile, found: _Found) -> tuple[str, ...]:
    declared = {extension.uri for extension in profile.extensions}
    required = {extension.uri for extension in profile.extensions if extension.required}
    old = set(lock.requires.extensions)
    for uri in sorted(old - declared):
        found.lost(LockChange(member("$.requires.extensions", uri), uri, None, "the card no longer declares it"))
    found.changes.extend(
        LockChange(member("$.requires.extensions", uri), None, uri, "the card requires it now")
        for uri in sorted(required - old)
    )
    return tuple(sorted((old & declared if found.need_less else old) | required))
