"""`cardtrail sql --json`."""

from typing import Any, Literal

from cardtrail.events.model.value import Value


class QueryColumn(Value):
    """A column of an answer and its DuckDB type; a name that stands twice has its number behind it."""

    name: str
    type: str


class SqlOutput(Value):
    """`cardtrail sql QUERY --json`: rows by column name; `more` says that rows beyond the limit were left out.

    `through` is the place in the log of the last fact that is in the answer, `ended` when the broker stored it.
    """

    format: Literal["cardtrail.sql/1"]
    through: int
    ended: str | None
    columns: tuple[QueryColumn, ...]
    rows: tuple[dict[str, Any], ...]
    more: bool


class WrittenOutput(Value):
    """`cardtrail sql QUERY --format parquet -o FILE --json`: how many rows went into which file."""

    format: Literal["cardtrail.sql-written/1"]
    file: str
    rows: int
    through: int


class ViewColumn(Value):
    """A column of a view: DuckDB type, unit ("" where none), meaning."""

    name: str
    type: str
    unit: str
    meaning: str


class ViewOutput(Value):
    """A view (or table): what one row is, its columns, the SELECT behind it ("" for a table)."""

    name: str
    row: str
    columns: tuple[ViewColumn, ...]
    sql: str


class ViewsOutput(Value):
    """`cardtrail sql --views --json`: everything that may be asked; a minor release only adds."""

    format: Literal["cardtrail.sql-views/1"]
    views: tuple[ViewOutput, ...]


OUTPUTS: tuple[type[Value], ...] = (SqlOutput, WrittenOutput, ViewsOutput)
