"""What shows that a lock has to change: the findings about the new card, and what was shown of its claims. Pure."""

from collections.abc import Iterable, Mapping

from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.card.paths import member
from cardtrail.services.cli.formats.lock_line import lock_path
from cardtrail.services.cli.formats.words import FINGERPRINT
from cardtrail.services.cli.outputs.pin import LockChange
from cardtrail.services.verdict.capabilities import FLAGS

_WORDS = {"held": "ok", "contradicted": "contradicted", "inconclusive": "inconclusive"}
_EXTENSIONS = "capabilities.extensions["
_WORST = ("contradicted", "inconclusive", "held")


def grounds(findings: Iterable[Finding], path: str) -> tuple[str, ...]:
    """What was found that changes this member of the lock: rule and fingerprint, and the place in the card."""
    return tuple(
        f"{one.rule} {one.fingerprint[:FINGERPRINT]}" + (f" at {one.path}" if one.path else "")
        for one in findings
        if f"{_member(one.subject)}.".startswith(f"{path}.")
    )


def verified(
    lock: Lockfile, old: Mapping[str, str], known: Iterable[Evidence]
) -> tuple[dict[str, str], list[LockChange]]:
    """The lock's `verified` by what is known, the worst of each name, and what changes against the `old` one.

    Names are those of a lock: a flag, or a skill id. Only what the lock needs is said.
    """
    by_name: dict[str, list[Evidence]] = {}
    for one in known:
        if (name := _name(lock, one)) is not None:
            by_name.setdefault(name, []).append(one)
    worst = {
        name: min(ones, key=lambda one: (_WORST.index(one.outcome), one.at)) for name, ones in sorted(by_name.items())
    }
    said = {name: f"{one.source} {_WORDS[one.outcome]} {one.at[:10]}" for name, one in worst.items()}
    changes = [
        LockChange(
            path=member("$.verified", name), before=old.get(name), after=said.get(name),
            reason=_reason(worst.get(name)), evidence=_facts(by_name.get(name, [])),
        )
        for name in sorted({*old, *said})
        if old.get(name) != said.get(name)
    ]  # fmt: skip
    return said, changes


def _member(subject: str) -> str:
    uri = subject.removeprefix(_EXTENSIONS)
    return lock_path(subject) if uri == subject else member("$.requires.extensions", uri.removesuffix("]"))


def _name(lock: Lockfile, one: Evidence) -> str | None:
    claim = one.claim
    if claim.skill is not None:
        return claim.skill if claim.skill in lock.requires.skills else None
    flag = claim.kind.replace("-", "_")
    return flag if flag in FLAGS and getattr(lock.requires, flag) else None


def _reason(one: Evidence | None) -> str:
    if one is None:
        return "nothing is known of it under the new card"
    how = f"{one.passes} of {one.trials} trials held" if one.source == "probe" else "a call showed it"
    claim = " ".join(filter(None, (one.claim.kind, one.claim.value)))
    return ", ".join(filter(None, (f"{claim}: {how}", one.reason)))


def _facts(ones: Iterable[Evidence]) -> tuple[str, ...]:
    return tuple(f"fact {one.fact}" for one in ones if one.fact)
