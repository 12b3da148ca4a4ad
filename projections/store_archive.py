"""The history as Parquet, a file for each day and kind of fact, with a manifest that says what is in it.

Days go by the broker's time, so a day that has passed never changes: a later run writes only what is new. A file is written whole
or not at all, rows in stream order, the same facts as the same bytes. Read it with
`read_parquet('DIR/history/*/*/*.parquet', hive_partitioning = true, union_by_name = true)`: a release only adds columns.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from cardtrail.events.errors import UsageError
from cardtrail.projections.store_errors import foreign

MANIFEST = "archive.json"
FORMAT = "cardtrail.parquet/1"
_FACTS = "facts.parquet"
_PARTS = """
SELECT stored_at::DATE AS day, kind, count(*)::BIGINT AS rows, min(sequence)::BIGINT AS first, max(sequence)::BIGINT AS last
FROM history GROUP BY ALL ORDER BY ALL
"""
_COPY = """
COPY (SELECT * FROM history WHERE stored_at >= DATE '{day}' AND stored_at < DATE '{day}' + INTERVAL 1 DAY AND kind = '{kind}'
ORDER BY sequence) TO '{target}' (FORMAT parquet, COMPRESSION zstd)
"""
Part = dict[str, Any]
"""`file`, `day`, `kind`, `rows`, `first` and `last` sequence, `sha256` over the file, `columns` as they are in it."""


class Archived(NamedTuple):
    """Facts and files in the archive now, files written by this run, the place in the log of the last fact."""

    facts: int
    files: int
    written: int
    through: int


def archive(snapshot: Path, folder: Path) -> Archived:
    """Bring the archive in `folder` up to a snapshot.

    Raises:
        UsageError: `archive-foreign`, the folder holds the archive of another log, or one that a newer release wrote.
        StoreAway: `store-failed`. OSError: a file cannot be written.
    """
    with foreign(), duckdb.connect(str(snapshot), read_only=True) as database:
        begun = [str(row[0]) for row in database.execute("SELECT id FROM history ORDER BY sequence LIMIT 1").fetchall()]
        (through,) = database.execute("SELECT through FROM position").fetchall()[0]
        columns = [row[0] for row in database.execute("DESCRIBE history").fetchall()]
        held = _held(folder, begun)
        parts: dict[str, Part] = dict(held)
        written = 0
        for part in _parts(database, columns):
            if _same(held.get(part["file"]), part) and (folder / part["file"]).exists():
                continue
            parts[part["file"]] = part | {"sha256": _write(database, part, folder / part["file"])}
            written += 1
    files = [parts[name] for name in sorted(parts)]
    facts = sum(part["rows"] for part in files)
    told = {"format": FORMAT, "begun": begun, "through": through, "facts": facts, "files": files}
    _put(folder / MANIFEST, json.dumps(told, indent=1, sort_keys=True).encode() + b"\n")
    return Archived(facts, len(files), written, through)


def _held(folder: Path, begun: list[str]) -> dict[str, Part]:
    """What the manifest says is there."""
    try:
        told = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise UsageError("archive-foreign", "its manifest cannot be read", file=str(folder / MANIFEST)) from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise UsageError("archive-foreign", "another release wrote this archive", file=str(folder / MANIFEST))
    if told["begun"] and told["begun"] != begun:
        raise UsageError("archive-foreign", "this is the archive of another log", file=str(folder / MANIFEST))
    return {part["file"]: part for part in told["files"]}


def _parts(database: duckdb.DuckDBPyConnection, columns: list[str]) -> Iterator[Part]:
    for day, kind, rows, first, last in database.execute(_PARTS).fetchall():
        file = f"history/day={day.isoformat()}/kind={kind}/{_FACTS}"
        told = {"file": file, "day": day.isoformat(), "kind": kind, "rows": rows, "first": first, "last": last}
        yield told | {"columns": columns}


def _same(held: Part | None, part: Part) -> bool:
    return held is not None and all(held.get(name) == value for name, value in part.items())


def _write(database: duckdb.DuckDBPyConnection, part: Part, path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}")
    quoted = str(half).replace("'", "''")
    database.execute(_COPY.format(day=part["day"], kind=part["kind"], target=quoted))
    half.replace(path)
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}")
    half.write_bytes(data)
    half.replace(path)
