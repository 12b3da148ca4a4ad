"""What a documented view is: a name, what one row is, a SELECT, and one line on each column.

Names, columns, units and meanings are a contract: a minor release adds at the end and takes nothing away.
"""

from typing import NamedTuple


class Column(NamedTuple):
    """A column: `unit` is "" where it has none."""

    name: str
    unit: str
    meaning: str


class View(NamedTuple):
    """A view, or with an empty `select` a table of the store.

    `told` holds a line for each column in order, `name [unit]: meaning`, the unit left out where there is none.
    """

    name: str
    row: str
    select: str
    told: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns as they are told, in order."""
        return tuple(_column(line) for line in self.told.strip().splitlines())

    @property
    def statements(self) -> tuple[str, ...]:
        """What makes the view, and writes its meaning into the catalogue of the database beside it."""
        comments = (
            f"COMMENT ON COLUMN {self.name}.{one.name} IS {_quoted(one.meaning, one.unit)}" for one in self.columns
        )
        made = (f"CREATE VIEW {self.name} AS\n{self.select.strip()}",) if self.select else ()
        kind = "VIEW" if self.select else "TABLE"
        return (*made, f"COMMENT ON {kind} {self.name} IS {_quoted('one row: ' + self.row)}", *comments)


def _column(line: str) -> Column:
    name, _, meaning = line.partition(":")
    name, _, unit = name.strip().partition(" ")
    return Column(name, unit.strip("[]"), meaning.strip())


def _quoted(text: str, unit: str = "") -> str:
    told = f"{text} [{unit}]" if unit else text
    return "'" + told.replace("'", "''") + "'"
