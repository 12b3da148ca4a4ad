"""Which profile a finding is about: while cards take turns the worst verdict stands, and is not of the card seen last. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID

from cardtrail.events import ChangeDecided, ProfileCompiled, Stored

FLAPPING = "card-flapping"
_MOST = 16
Told = TypeVar("Told")


@dataclass
class Origins(Generic[Told]):
    """For each finding the decision whose profile shows it: the newest made while no cards took turns, else the first.

    Those of the newest decisions alone are kept: cards that take turns have done so lately.
    """

    by: dict[str, Told] = field(default_factory=dict)

    def decided(self, told: Told, findings: Iterable[str], *, alternates: bool) -> None:
        """One more decision about the lock, with the fingerprints of its findings."""
        for name in findings:
            if not alternates or name not in self.by:
                self.by.pop(name, None)
                self.by[name] = told
        newest: list[Told] = []
        for name, one in reversed(list(self.by.items())):
            if not newest or newest[-1] is not one:
                newest.append(one)
            if len(newest) > _MOST:
                del self.by[name]


@dataclass
class ShownBy:
    """Fed with profiles and with the decisions about one lock, in stream order."""

    _profiles: dict[UUID, ProfileCompiled] = field(default_factory=dict)
    _origins: Origins[ChangeDecided] = field(default_factory=Origins)

    def compiled(self, stored: Stored, event: ProfileCompiled) -> None:
        """A profile that decisions may rest on."""
        self._profiles[stored.fact.id] = event

    def decided(self, event: ChangeDecided) -> None:
        """One more decision."""
        self._origins.decided(event, (one.fingerprint for one in event.findings), alternates=alternating(event))

    def of(self, fingerprint: str) -> ProfileCompiled | None:
        """The profile that shows it, None where none is known."""
        origin = self._origins.by.get(fingerprint)
        return (
            next((self._profiles[name] for name in origin.causes if name in self._profiles), None) if origin else None
        )


def alternating(event: ChangeDecided) -> bool:
    """Whether it was decided while cards took turns."""
    return any(one.rule == FLAPPING for one in event.findings)
