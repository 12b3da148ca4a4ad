"""`cardtrail backup --json` and `restore --json`."""

from typing import Literal

from cardtrail.events.model.value import Value

FORMAT: Literal["cardtrail.backup/1"] = "cardtrail.backup/1"


class StreamBackup(Value):
    """A stream as it was: messages, first and last sequence, bytes of `stream.tar.s2` and `sha256:` over them."""

    stream: str
    messages: int
    first: int
    last: int
    size: int
    sha256: str


class BackupOutput(Value):
    """`cardtrail backup FOLDER --json`, and the folder's `cardtrail-backup.json`.

    Buckets and the archive are not in it: the log rebuilds them.
    """

    format: Literal["cardtrail.backup/1"]
    release: str
    streams: tuple[StreamBackup, ...]


OUTPUTS: tuple[type[Value], ...] = (BackupOutput,)
