"""The log, the bodies and the reports out and back; what is folded from them comes back by itself."""

import asyncio
import logging
from pathlib import Path

from pydantic import ValidationError

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.bus.backup import BackedUp, backup, digest_of, restore
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import BODIES, FACTS, REPORTS
from cardtrail.services.bus.streams import Sizes
from cardtrail.services.cli.audit.on_broker import on_broker
from cardtrail.services.cli.live.progress import Say
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.backup import FORMAT, BackupOutput, StreamBackup
from cardtrail.services.cli.outputs.restore import RestoreOutput
from cardtrail.services.cli.shell.outfile import write_text
from cardtrail.services.cli.shell.release import release
from cardtrail.services.regular_file import regular_file
from cardtrail.services.settings import Settings

STREAMS = (FACTS, BODIES, REPORTS)
"""In this order: a body is kept before the fact that names it, so whatever the log names is in the later snapshot."""
MANIFEST = "cardtrail-backup.json"
_MIB = 1 << 20


async def back_up(tracker: Tracker, target: Path, say: Say) -> BackupOutput:
    """Write a backup while the tracker runs.

    Raises:
        UsageError: `output-unwritable`. BrokerUnreachable: it ended before its end; what was written is no backup.
    """
    found = []
    for stream in STREAMS:
        await asyncio.to_thread(_made, target / stream)
        found.append(_told(await backup(tracker.bus, stream, target / stream, Moved(stream, say))))
    say("")
    made = BackupOutput(format=FORMAT, release=release(), streams=tuple(found))
    await asyncio.to_thread(write_text, str(target / MANIFEST), made.model_dump_json(indent=2) + "\n")
    return made


def bring_back(source: Path, settings: Settings, sizes: Sizes, say: Say) -> RestoreOutput:
    """Put the streams of a backup into a broker without them: the running one, or one that is started for this.

    Raises:
        UsageError: `file-unreadable`, `log-not-empty`. InputRefused: `backup-unreadable`, `backup-altered`.
    """
    held = _manifest(source)
    for one in held.streams:
        if digest_of(source / one.stream) != one.sha256:
            raise InputRefused("backup-altered", f"{one.stream} is not what the backup says", file=str(source))
    logging.basicConfig(level=logging.ERROR)
    limits = {FACTS: sizes.facts, BODIES: sizes.bodies, REPORTS: sizes.reports}

    async def body(url: str) -> None:
        async with Bus(url, name="cardtrail-restore") as bus:
            for one in held.streams:
                await restore(bus, source / one.stream, limits, Moved(one.stream, say))
        say("")

    on_broker(settings, body)
    return RestoreOutput(format="cardtrail.restore/1", streams=held.streams)


def _manifest(source: Path) -> BackupOutput:
    try:
        held = BackupOutput.model_validate_json(regular_file(source / MANIFEST, _MIB).read_bytes())
    except OSError as error:
        hint = "a folder that cardtrail backup has written whole"
        raise UsageError("file-unreadable", str(error.strerror), hint=hint, file=str(source / MANIFEST)) from error
    except ValidationError as error:
        raise InputRefused("backup-unreadable", "no backup of a tracker", file=str(source / MANIFEST)) from error
    if any(one.stream not in STREAMS for one in held.streams):
        raise InputRefused("backup-unreadable", "it names a stream that no tracker has", file=str(source / MANIFEST))
    return held


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        hint = "a folder that is not there yet"
        raise UsageError("output-unwritable", str(error.strerror), hint=hint, file=str(folder)) from error


def _told(one: BackedUp) -> StreamBackup:
    return StreamBackup(**one._asdict())


class Moved:
    """Says how many MiB of a stream went, whenever there is one more."""

    def __init__(self, stream: str, say: Say) -> None:
        """Nothing went yet."""
        self._stream, self._say, self._told = stream, say, 0

    def __call__(self, size: int) -> None:
        """So many bytes went."""
        if size // _MIB > self._told:
            self._told = size // _MIB
            self._say(f"{self._stream}: {self._told:,} MiB")
