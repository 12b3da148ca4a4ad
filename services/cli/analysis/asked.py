"""One question of an analyst, answered: as a table, CSV, JSON or a Parquet file."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.projections.store_reader import Answer, Reader
from cardtrail.services.cli.analysis.bounds import bounded
from cardtrail.services.cli.analysis.since import Beginning, since
from cardtrail.services.cli.analysis.source import asking
from cardtrail.services.cli.live.when import brief
from cardtrail.services.cli.outputs.sql import QueryColumn, SqlOutput, WrittenOutput
from cardtrail.services.cli.shell.console import Console, as_json
from cardtrail.services.cli.shell.inputs import read_file
from cardtrail.services.cli.shell.outfile import write_text
from cardtrail.services.cli.shell.text import code, plain
from cardtrail.services.csv_table import csv_table

FORMATS = ("table", "csv", "json", "parquet")
_SHOWN = 400
_ESCAPE = "\x1b"


class Wanted(NamedTuple):
    """How it is asked: SQL text, `format`, file ("" = stdout), most rows, most seconds, from when on."""

    sql: str
    format: str
    output: str
    rows: int
    seconds: float
    beginning: Beginning | None
    config: Path | None


def text_of(query: str, file: str | None) -> str:
    """The SQL: as typed, of a file, or of stdin where `-` stands.

    Raises:
        UsageError: `argument-missing`, `file-unreadable`.
    """
    if bool(query) == bool(file):
        hint = 'cardtrail sql "SELECT * FROM agents", or cardtrail sql --views'
        raise UsageError("argument-missing", "one query is wanted: typed, -, or --file FILE", hint=hint)
    if query and query != "-":
        return query
    given = read_file(file or query)
    try:
        return given.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("file-unreadable", "no UTF-8", file=given.file) from error


def answer(console: Console, wanted: Wanted) -> None:
    """Ask, and print or write the answer; hints say how fresh it is and whether rows are missing.

    Raises:
        QueryRefused: what is wrong with the query. StoreAway: there is nothing to ask. UsageError: `output-unwritable`.
    """
    if wanted.format == "parquet":
        _written(console, wanted)
        return
    (found, through, ended), note = asking(wanted.config, lambda reader: _answered(console, reader, wanted))
    if wanted.format == "json":
        _told(console, wanted.output, as_json(_document(found, through, ended).model_dump(mode="json")) + "\n")
    elif wanted.format == "csv":
        _told(console, wanted.output, csv_table(found.columns, [list(map(_json, row)) for row in found.rows]))
    else:
        lines = console.out.table(found.columns, [[plain(_seen(value), _SHOWN) for value in row] for row in found.rows])
        _told(console, wanted.output, "".join(f"{line}\n" for line in lines))
    if found.more:
        console.hint(f"more than {wanted.rows:,} rows: the rest is left out (--rows N)")
    console.hint(*([note] if note else []), f"as of fact {through:,}{f', {brief(ended)}' if ended else ''}")


def _written(console: Console, wanted: Wanted) -> None:
    """Parquet goes to a file beside its place first: whole or not at all."""
    if not wanted.output:
        raise UsageError("argument-missing", "Parquet is for files", hint="-o FILE")
    path = Path(wanted.output)
    half = path.absolute().with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        (rows, through), note = asking(wanted.config, lambda reader: _wrote(console, reader, wanted), target=half)
        half.replace(path)
    except OSError as error:
        raise UsageError("output-unwritable", f"cannot be written: {error.strerror}", file=wanted.output) from error
    finally:
        with suppress(OSError):
            half.unlink()
    if console.json:
        told = WrittenOutput(format="cardtrail.sql-written/1", file=wanted.output, rows=rows, through=through)
        console.document(told.model_dump(mode="json"))
    console.hint(*([note] if note else []), f"{rows:,} rows in {plain(wanted.output)}, as of fact {through:,}")


def _answered(console: Console, reader: Reader, wanted: Wanted) -> tuple[Answer, int, datetime | None]:
    _count(reader, wanted)
    with bounded(console, reader, wanted.seconds):
        found = reader.query(wanted.sql, rows=wanted.rows, seconds=wanted.seconds)
    return found, reader.through, reader.ended


def _wrote(console: Console, reader: Reader, wanted: Wanted) -> tuple[int, int]:
    _count(reader, wanted)
    with bounded(console, reader, wanted.seconds):
        rows = reader.write(wanted.sql, seconds=wanted.seconds)
    return rows, reader.through


def _count(reader: Reader, wanted: Wanted) -> None:
    begun = since(wanted.beginning, reader.ended)
    if begun is not None:
        reader.count_from(begun)


def _told(console: Console, output: str, text: str) -> None:
    if output:
        write_text(output, text)
    else:
        harmless = text.removesuffix("\n").replace(_ESCAPE, code(_ESCAPE))  # a colour in it is not ours
        console.lines(*harmless.split("\n"))


def _document(found: Answer, through: int, ended: datetime | None) -> SqlOutput:
    names = _distinct(found.columns)
    return SqlOutput(
        format="cardtrail.sql/1",
        through=through,
        ended=instant(ended) if ended else None,
        columns=tuple(QueryColumn(name=name, type=kind) for name, kind in zip(names, found.types, strict=True)),
        rows=tuple(dict(zip(names, map(_json, row), strict=True)) for row in found.rows),
        more=found.more,
    )


def _distinct(names: Sequence[str]) -> list[str]:
    """Column names, a repeated one with its number behind it."""

    def numbered() -> Iterator[str]:
        for place, name in enumerate(names):
            before = names[:place].count(name)
            yield f"{name}:{before}" if before else name

    return list(numbered())


def _seen(value: Any) -> str:  # noqa: ANN401 — a value of any SQL type
    """A cell of a table: times to the second, the rest as everywhere; CSV and JSON have all of it."""
    if isinstance(value, datetime):
        return brief(value if value.tzinfo else value.replace(tzinfo=UTC))
    return _cell(value)


def _cell(value: Any) -> str:  # noqa: ANN401 — a value of any SQL type
    """A value as text: times RFC 3339 in UTC, lists and structs as JSON."""
    told = _json(value)
    if isinstance(told, dict | list):
        return json.dumps(told, ensure_ascii=False)
    return "-" if told is None else str(told).lower() if isinstance(told, bool) else str(told)


def _json(value: Any) -> Any:  # noqa: ANN401 — a value of any SQL type
    """A value as JSON has it; what JSON cannot say (NaN, infinities) is null, bytes are hex."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return instant(value if value.tzinfo else value.replace(tzinfo=UTC))
        case date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case list() | tuple():
            return [_json(each) for each in value]
        case dict():
            return {str(_json(key)): _json(each) for key, each in value.items()}
        case _:
            return str(value)
