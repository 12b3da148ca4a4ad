"""Which capabilities a finding is about, by its subject: the names under which `blame` tells their values. Pure."""

import re
from collections.abc import Iterable, Mapping

from cardtrail.events import ChangeDecided
from cardtrail.events.model.finding import Finding
from cardtrail.services.verdict.capabilities import FLAGS

_NAMED: Mapping[str, tuple[str, ...]] = {
    **{subject: (flag,) for flag, subject in FLAGS.items()},
    "interface": ("interface", "interfaces"),
    "interface.version": ("interface", "interfaces"),
    "interface.url": ("interface.url", "interfaces"),
    "interface.tenant": ("interface.tenant",),
    "signatures": ("signature", "signer"),
    "profile": ("usable",),
    "security": ("security",),
    **{member: (member,) for member in ("version", "name", "provider")},
}
_KEYED: tuple[tuple[re.Pattern[str], tuple[str, tuple[str, ...]]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), family)
    for pattern, family in (
        (r"skills\[(.+)\]\.inputModes", ("skills.", (".input",))),
        (r"skills\[(.+)\]\.outputModes", ("skills.", (".output",))),
        (r"skills\[(.+)\]\.security", ("skills.", (".security", ".scopes"))),
        (r"skills\[(.+)\]", ("skills.", (".input", ".output", ".security", ".scopes"))),
        (r"capabilities\.extensions\[(.+?)\](?:\.params)?", ("extensions.", ("",))),
        (r"securitySchemes\[(.+?)\](?:\.urls)?", ("schemes.", ("",))),
    )
)


def names(subject: str, capability: str) -> bool:
    """Whether a subject names a capability; that of the card as a whole, of its texts or of a tested claim names none."""
    if capability in _NAMED.get(subject, ()):
        return True
    if subject == "security":  # the ways in are by schemes, and the scopes of a skill are those of the card, too
        return capability.startswith("schemes.") or (
            capability.startswith("skills.") and capability.endswith(".scopes")
        )
    if subject.startswith("interfaces["):
        return capability == "interfaces"
    for pattern, (family, members) in _KEYED:
        if found := pattern.fullmatch(subject):
            return capability in {f"{family}{found[1]}{member}" for member in members}
    return False


def subjects(event: ChangeDecided, before: Iterable[Finding]) -> frozenset[str]:
    """What a verdict rests on: the findings as severe as itself, or those of `before` whose end made it compatible."""
    if event.verdict != "compatible":
        return frozenset(one.subject for one in event.findings if one.severity == event.verdict)
    left = {one.fingerprint for one in event.findings if one.severity != "note"}
    return frozenset(one.subject for one in before if one.severity != "note" and one.fingerprint not in left)
