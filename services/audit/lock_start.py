"""The card a lock started from, and where in it stood what a finding is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cardtrail.events import LockfilePinned, ProfileCompiled
from cardtrail.events.model.finding import Finding
from cardtrail.services.card.paths import parent
from cardtrail.services.verdict.capabilities import FLAGS

Body = tuple[str, str, str]
"""Agent, principal, digest of the bytes."""
_SUBJECTS: tuple[tuple[str, str], ...] = (
    (r"skills\[(.+)\]\.inputModes", "skills.{}.input"),
    (r"skills\[(.+)\]\.outputModes", "skills.{}.output"),
    (r"skills\[(.+)\]\.security.*", "skills.{}.security"),
    (r"capabilities\.extensions\[(.+?)\](?:\.params)?", "extensions.{}"),
    (r"securitySchemes\[(.+?)\](?:\.urls)?", "schemes.{}"),
)
IDENTITY = {"version": "$.version", "name": "$.name", "provider": "$.provider"}
"""Where a card says who it is: no member of the profile, so no provenance."""
_FLAGS = {subject: flag for flag, subject in FLAGS.items()}


@dataclass(frozen=True)
class LockStart:
    """The baseline's provenance (member of the profile → JSON path) and the body it came from."""

    provenance: Mapping[str, str]
    body: Body

    def path(self, finding: Finding, now: Mapping[str, str]) -> str:
        """Where it stood, "" where that is not known; `now` is the provenance of the profile that was judged."""
        names = [name for name, path in now.items() if finding.path and path == finding.path]
        paths = [self.provenance[name] for name in names if name in self.provenance]
        return paths[0] if paths else self._by_subject(finding.subject)

    def _by_subject(self, subject: str) -> str:
        for pattern, name in _SUBJECTS:
            if found := re.fullmatch(pattern, subject):
                return self.provenance.get(name.format(found[1]), "")
        if found := re.fullmatch(r"skills\[(.+)\]", subject):
            tags = self.provenance.get(f"skills.{found[1]}.tags", "")
            return parent(tags) if tags else ""
        return self.provenance.get(_FLAGS.get(subject, subject), IDENTITY.get(subject, ""))


def lock_start(event: LockfilePinned, profile: ProfileCompiled | None) -> LockStart | None:
    """From the profile in force when it was pinned, else from what the lock's fact carries itself."""
    if profile is not None and event.baseline in (None, profile.profile):
        return LockStart(profile.profile.provenance, (profile.agent, profile.principal, profile.card_digest))
    if event.baseline is None:
        return None
    agent = profile.agent if profile else event.agent
    return LockStart(event.baseline.provenance, (agent, event.principal, event.lockfile.card_digest))
