"""The files of a bundle: written beside their place and moved there whole, read with their digests checked."""

import hashlib
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.events.fact import dump
from cardtrail.events.model.value import Value
from cardtrail.services.bundle.manifest import FILES, MANIFEST, File, Manifest
from cardtrail.services.bundle.opening import opened, plain

LONGEST_LINE = 1 << 20
_MANIFEST_BYTES = 1 << 20
_TARS = (".tar", ".tar.gz", ".tgz")
_NO_FOLDERS = frozenset({".zip", ".gz", ".bz2", ".xz", ".zst", ".7z", ".json", ".jsonl"})
"""Endings by which somebody means a file; a folder of that name would be taken for one."""


class Writing:
    """A bundle that grows in a folder of its own; `finish` shows it under its name."""

    def __init__(self, target: Path) -> None:
        """`target` is a folder, or a tar where its name ends so.

        Raises:
            UsageError: `output-unwritable`, also where it is there already.
        """
        if target.exists():
            raise UsageError("output-unwritable", "is there already", hint="another name", file=str(target))
        if target.suffix.lower() in _NO_FOLDERS and not target.name.endswith(_TARS):
            what = f"a bundle is no {target.suffix} file"
            raise UsageError("output-unwritable", what, hint="a folder, .tar, .tar.gz or .tgz", file=str(target))
        self._target = target
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        except OSError as error:
            raise UsageError("output-unwritable", str(error.strerror), file=str(target)) from error
        self.files: dict[str, File] = {}

    def __enter__(self) -> Self:
        """The folder is there until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take away what was not finished."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def file(self, name: str) -> Iterator[Callable[[Value], None]]:
        """One file, open to put JSON values into, a line each; members at their default are left out."""
        summed, count = hashlib.sha256(), 0

        def put(value: Value) -> None:
            nonlocal count
            data = dump(value.model_dump(mode="json", exclude_defaults=True)) + b"\n"
            summed.update(data)
            held.write(data)
            count += 1

        with (self.folder / name).open("wb") as held:
            yield put
        self.files[name] = File(sha256=f"sha256:{summed.hexdigest()}", lines=count)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and show the bundle, whole."""
        (self.folder / MANIFEST).write_bytes(manifest.model_dump_json(indent=2).encode() + b"\n")
        if not self._target.name.endswith(_TARS):
            self.folder.chmod(0o700)
            self.folder.replace(self._target)
            return
        packed = self.folder / "packed"
        with tarfile.open(packed, "w:gz" if self._target.name.endswith("gz") else "w") as tar:
            for name in (MANIFEST, *self.files):
                tar.add(self.folder / name, name, filter=_nobody)
        packed.replace(self._target)


class Bundle:
    """An opened bundle; nothing of it was unpacked, and its files are only those that the format names."""

    def __init__(self, place: Path) -> None:
        """Read the manifest and check the digest of every file.

        Raises:
            UsageError: `file-unreadable`. InputRefused: `bundle-unreadable`, `bundle-version-unknown`, `bundle-altered`.
        """
        self._place = place
        plain(place)
        self.manifest = self._manifest()
        for name, told in self.manifest.files.items():
            if name not in FILES:
                raise InputRefused("bundle-unreadable", "the manifest names a file that no bundle has", file=str(place))
            summed = hashlib.sha256()
            for line in self.lines(name):
                summed.update(line)
            if f"sha256:{summed.hexdigest()}" != told.sha256:
                raise InputRefused("bundle-altered", f"{name} is not what the manifest says", file=str(place))

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file, with their ends; none where the bundle has no such file."""
        with opened(self._place, name) as file:
            while line := file.readline(LONGEST_LINE):
                if len(line) == LONGEST_LINE:
                    raise InputRefused(
                        "bundle-unreadable", "a line is longer than a fact can be", file=str(self._place)
                    )
                yield line

    def _manifest(self) -> Manifest:
        with opened(self._place, MANIFEST) as file:
            data = file.read(_MANIFEST_BYTES)
        if not data:
            raise InputRefused("bundle-unreadable", "no bundle: it has no manifest", file=str(self._place))
        try:
            return Manifest.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            if first["loc"] == ("format",):
                hint = "upgrade to read it"
                raise InputRefused(
                    "bundle-version-unknown", str(first["input"])[:80], hint=hint, file=str(self._place)
                ) from error
            where = ".".join(map(str, first["loc"]))
            raise InputRefused(
                "bundle-unreadable", f"manifest: {first['msg']}", file=str(self._place), path=where
            ) from error


def _nobody(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same bundle gives the same tar, whoever packs it."""
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode = 0o600
    return info
