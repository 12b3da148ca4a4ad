"""What an analyst can ask: every documented view with its columns, their types, units and meanings; needs no store.

Types are DuckDB's own: asked of an empty store that is made for the question.
"""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb

from cardtrail.projections.fact_views import HISTORY
from cardtrail.projections.projection import Table
from cardtrail.projections.store_errors import foreign
from cardtrail.projections.store_file import StoreFile
from cardtrail.projections.store_snapshot import copy
from cardtrail.projections.views import VIEWS


class ShownColumn(NamedTuple):
    """A column: its DuckDB type, its unit ("" where none), what it means."""

    name: str
    type: str
    unit: str
    meaning: str


class ShownView(NamedTuple):
    """A view (or the table `history`): what one row is, and its columns in order."""

    name: str
    row: str
    columns: tuple[ShownColumn, ...]
    sql: str


def catalogue(tables: Iterable[Table]) -> tuple[ShownView, ...]:
    """All of them, in the order in which they build on each other."""
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
    with TemporaryDirectory(prefix="cardtrail-views-") as folder:
        empty, shown = Path(folder, "empty.duckdb"), Path(folder, "shown.duckdb")
        StoreFile(empty, tables).close()
        copy(empty, shown)
        with foreign(), duckdb.connect(str(shown), read_only=True) as database:
            types = {(table, column): kind for table, column, kind in database.execute(query).fetchall()}
    return tuple(
        ShownView(
            view.name,
            view.row,
            tuple(ShownColumn(one.name, types[view.name, one.name], one.unit, one.meaning) for one in view.columns),
            view.select.strip(),
        )
        for view in (HISTORY, *VIEWS)
    )
