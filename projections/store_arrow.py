"""Rows on their way into DuckDB, as Arrow columns: a sixth of the work of lists as parameters, and most of it beside Python."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import nanoarrow

from cardtrail.projections.projection import Line
from cardtrail.projections.store_errors import StoreAway

_ARROW = {
    "UBIGINT": nanoarrow.uint64(),
    "INTEGER": nanoarrow.int64(),
    "BOOLEAN": nanoarrow.bool_(),
    "TIMESTAMP": nanoarrow.timestamp("us"),
    "VARCHAR": nanoarrow.string(),
    "UUID": nanoarrow.string(),
}
"""DuckDB's types as what we hold of them: UUIDs as text, instants as microseconds since 1970."""


def stream(columns: Mapping[str, str], lines: Sequence[Line]) -> nanoarrow.ArrayStream:
    """The lines as something DuckDB can scan once; `columns` maps name to DuckDB type, in the order of a line.

    Raises:
        StoreAway: `store-failed`: a value is not of its column's type.
    """
    types = {name: _ARROW[kind] for name, kind in columns.items()}
    held: Iterable[Sequence[Any]] = zip(*lines, strict=True)
    try:
        arrays = [nanoarrow.c_array(column, kind) for column, kind in zip(held, types.values(), strict=True)]
    except ValueError as error:
        raise StoreAway("store-failed", f"a row does not fit its table: {str(error)[:300]}") from error
    rows = nanoarrow.c_array_from_buffers(nanoarrow.struct(types), len(lines), buffers=[None], children=arrays)
    return nanoarrow.ArrayStream(rows)
