"""One file of a bundle, opened in its folder, tar or tar.gz; nothing is unpacked, and no header makes a reader take memory.

`tarfile` reads long names, pax headers and the maps of sparse files whole, however long they say to be, and other compressions
may ask for gigabytes before they have said anything. So headers have a budget, and a bundle is what `Writing` writes.
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.bundle.manifest import FILES, MANIFEST
from cardtrail.services.regular_file import regular_file

_HEADERS = 64 << 10
"""Bytes that all headers of a tar may have; those of a bundle have 2 KiB, and a system's own attributes some more."""
_ASIDE = 1 << 20
"""Bytes of a file in a tar that is none of a bundle's: somebody's note, what a system puts beside."""
_OURS = frozenset((MANIFEST, *FILES))
_GZIP = b"\x1f\x8b"


class _Guarded(io.RawIOBase):
    """A tar whose headers may be read up to the budget; what is skipped over, or read once `spent`, counts for nothing."""

    def __init__(self, held: IO[bytes], file: str) -> None:
        self._held, self._file, self._left, self.spent = held, file, _HEADERS, False

    def read(self, size: int = -1) -> bytes:
        if not self.spent:
            self._left -= size
            if size < 0 or self._left < 0:
                raise InputRefused("bundle-unreadable", "no bundle: its tar has too many headers", file=self._file)
        return self._held.read(size)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._held.seek(offset, whence)

    def tell(self) -> int:
        return self._held.tell()


def plain(place: Path) -> None:
    """Returns where a bundle is a folder, or a tar, whole to its end, with no file twice and nothing large that no bundle has.

    Raises:
        UsageError: `file-unreadable`. InputRefused: `bundle-unreadable`.
    """
    if place.is_dir():
        return
    seen: set[str] = set()
    with _tar(place) as (tar, guarded):
        for one in tar:
            if one.name in seen:
                raise InputRefused("bundle-unreadable", f"{one.name[:80]!r} is in it twice", file=str(place))
            if one.name not in _OURS and one.size > _ASIDE:
                raise InputRefused("bundle-unreadable", f"no bundle has {one.name[:80]!r}", file=str(place))
            seen.add(one.name)
        guarded.spent = True
        if len(guarded.read(_ASIDE)) == _ASIDE:  # to the end, where gzip has its checksum
            raise InputRefused("bundle-unreadable", "something follows the tar", file=str(place))


@contextmanager
def opened(place: Path, name: str) -> Iterator[IO[bytes]]:
    """The bytes of a file, none where the bundle has no such file; links, devices and sparse files are passed over.

    Raises:
        UsageError: `file-unreadable`. InputRefused: `bundle-unreadable`.
    """
    if place.is_dir():
        path = place / name
        with _refusals(place), regular_file(path, None).open("rb") if path.exists() else io.BytesIO() as file:
            yield file
        return
    with _tar(place) as (tar, guarded):
        member = next((one for one in tar if one.name == name and one.isfile() and not one.issparse()), None)
        guarded.spent = True
        yield (tar.extractfile(member) if member else None) or io.BytesIO()


@contextmanager
def _tar(place: Path) -> Iterator[tuple[tarfile.TarFile, _Guarded]]:
    with _refusals(place), regular_file(place, None).open("rb") as raw, _unpacked(raw) as held:
        guarded = _Guarded(held, str(place))
        with tarfile.open(fileobj=guarded, mode="r:") as tar:
            yield tar, guarded


@contextmanager
def _refusals(place: Path) -> Iterator[None]:
    """Beside its own errors tarfile raises those of numbers that mean nothing."""
    try:
        yield
    except (OSError, tarfile.TarError, EOFError, zlib.error, ValueError, OverflowError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise UsageError("file-unreadable", error.strerror, file=str(place)) from error
        hint = "a folder, .tar or .tar.gz as cardtrail export writes them"
        raise InputRefused("bundle-unreadable", "no bundle, or a damaged one", hint=hint, file=str(place)) from error


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    magic = raw.read(len(_GZIP))
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw) if magic == _GZIP else raw  # type: ignore[return-value]
