"""A tar that somebody sends makes no reader take memory, wait or fall over; what is no bundle is refused with words."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.bundle.files import Bundle
from cardtrail.services.bundle.manifest import FACTS, MANIFEST
from tests.services.bundle.test_files import LEAF, refusal, written
from tests.services.cli.program import cardtrail

BLOCK, END = 512, b"\0" * 1024
LARGE = 64 << 20


def header(name: str, kind: bytes, size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % BLOCK)


def pax(*records: bytes) -> bytes:
    data = b"".join(records)
    return header("pax", tarfile.XHDTYPE, len(data)) + padded(data)


EMPTY = header(MANIFEST, tarfile.REGTYPE)
SPARSE_MAP = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
BOMBS = {
    "a long name": header("././@LongLink", tarfile.GNUTYPE_LONGNAME, LARGE) + b"\0" * LARGE,
    "a long link": header("././@LongLink", tarfile.GNUTYPE_LONGLINK, LARGE) + b"\0" * LARGE,
    "a pax header": header("x", tarfile.XHDTYPE, LARGE) + b"\0" * LARGE,
    "a global pax header": header("g", tarfile.XGLTYPE, LARGE) + b"\0" * LARGE,
    "a header of Solaris": header("X", tarfile.SOLARIS_XHDTYPE, LARGE) + b"\0" * LARGE,
    "a sparse map": pax(SPARSE_MAP) + header(MANIFEST, tarfile.REGTYPE, LARGE) + b"9" * LARGE,
    "an old sparse map": header(MANIFEST, tarfile.GNUTYPE_SPARSE)[:482] + b"\1" * LARGE,
    "headers of headers": pax(b"9 path=a\n") * 20_000,
    "many names": EMPTY.join([b""] * 20_000),
    "a name of an endless number": pax(b"9" * 5_000 + b" path=a\n") + EMPTY,
    "what follows": EMPTY + END + b"\0" * LARGE,
    "a file of zeros that no bundle has": header("zzz", tarfile.REGTYPE, LARGE) + b"\0" * LARGE,
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_small_file_that_is_a_large_header_takes_no_memory(what: str, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.tar.gz"
    bomb.write_bytes(gzip.compress(BOMBS[what] + EMPTY + END, 1))
    tracemalloc.start()
    try:
        assert refusal(bomb).code == "bundle-unreadable"
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def packed(folder: Path, target: Path, *more: tuple[tarfile.TarInfo, bytes]) -> Path:
    """The bundle packed anew with other members before its own."""
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for info, data in more:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for name in (MANIFEST, FACTS):
            tar.add(folder / name, name)
    return target


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.pax_headers = kind, "/dev/zero" * (kind != tarfile.REGTYPE), {"comment": "c" * 300}
    return info


def test_a_bundle_that_another_program_packed_with_a_note_beside_is_one(tmp_path: Path) -> None:
    folder = written(tmp_path / "bundle", LEAF)
    bundle = Bundle(packed(folder, tmp_path / "again.tar", (member("README"), b"to read"), (member("d", b"5"), b"")))
    assert list(bundle.lines(FACTS)) == list(Bundle(folder).lines(FACTS))


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
@pytest.mark.parametrize("name", [MANIFEST, FACTS])
def test_a_file_that_stands_twice_is_refused_for_readers_would_differ(name: str, kind: bytes, tmp_path: Path) -> None:
    folder = written(tmp_path / "bundle", LEAF)
    assert (
        refusal(packed(folder, tmp_path / "twice.tar", (member(name, kind), b""))).message == f"'{name}' is in it twice"
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
@pytest.mark.parametrize("harm", ["none", "cut", "changed"])
def test_no_compression_and_no_damage_ends_in_anything_but_a_refusal(pack, harm: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    noise = (member("zzz"), os.urandom(300_000))
    data = bytearray(pack(packed(written(tmp_path / "bundle", LEAF), tmp_path / "a.tar", noise).read_bytes()))
    half = len(data) // 2
    data[half:] = {"none": data[half:], "cut": b"", "changed": b"\xff" * 100 + data[half + 100 :]}[harm]
    sent = tmp_path / "sent.tar"
    sent.write_bytes(data)
    if (pack, harm) == (gzip.compress, "none"):
        assert Bundle(sent).manifest.facts == 1
        return
    done = cardtrail("import", sent, "--json", CARDTRAIL_DATA=str(tmp_path / "data"))
    assert (done.code, done.json["error"]["code"]) == (3, "bundle-unreadable")


@given(changes=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=20))
def test_whatever_changes_in_a_tar_it_is_read_or_refused(
    changes: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("tar")
    plain = bytearray(written(place / "bundle.tar", LEAF).read_bytes())
    for at, byte in changes:
        plain[at] = byte
    plain[148:156] = b"        "
    plain[148:156] = b"%06o\0 " % sum(plain[:BLOCK])
    (place / "changed.tar").write_bytes(plain)
    with contextlib.suppress(InputRefused, UsageError):
        assert list(Bundle(place / "changed.tar").lines(FACTS))


@pytest.mark.parametrize("where", ["bundle", MANIFEST, FACTS])
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_what_has_no_end_is_no_bundle_and_no_file_of_one(where: str, what: str, tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    if where != "bundle":
        (written(place, LEAF) / where).unlink()
    endless = place if where == "bundle" else place / where
    os.mkfifo(endless) if what == "pipe" else endless.symlink_to("/dev/zero")
    assert (refusal(place).code, refusal(place).message) == ("file-unreadable", "not a regular file")
