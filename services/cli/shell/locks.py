"""A lockfile as a command gets it, with the places of its members."""

from typing import NamedTuple

from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.cli.formats.lock_line import lock_path
from cardtrail.services.cli.formats.place import spanned
from cardtrail.services.cli.formats.report import Place
from cardtrail.services.cli.shell.inputs import read_file
from cardtrail.services.verdict.lock import LOCK_LIMITS, LockReading, read_lock

_WHO, _ALL = "$.agent", "$"


class OpenedLock(NamedTuple):
    """The lock, the file it stands in and its text."""

    file: str
    text: str
    reading: LockReading

    @property
    def lockfile(self) -> Lockfile:
        """What the workflow needs."""
        return self.reading.lockfile

    @property
    def doubts(self) -> tuple[Diagnostic, ...]:
        """What is odd in it."""
        return self.reading.diagnostics

    def place(self, subject: str) -> Place:
        """The line of the lock that a finding about this subject breaks; where the lock says nothing, the line of its agent."""
        places = self.reading.places
        found = next((path for path in (lock_path(subject), _WHO) if places(path) != places(_ALL)), _ALL)
        return spanned(self.file, self.text, *places(found))


def open_lock(file: str) -> OpenedLock:
    """Read a lock.

    Raises:
        UsageError: `file-unreadable`.
        InputRefused: why it is no lock of this release, with its place.
    """
    given = read_file(file, LOCK_LIMITS.size, holds=("requires",))
    return OpenedLock(given.file, given.data.decode("utf-8-sig", "replace"), read_lock(given.data, given.file))
