"""Several folds over one log with rows in common: one reader, one position, one commit."""

from collections.abc import Iterable

from cardtrail.events import EVENTS
from cardtrail.events.fact import Stored
from cardtrail.projections.projection import Fold, Place, Projection, Rows, Table


class Together:
    """A fold made of folds; each sees every fact that it hears, in turn. Table names are unique across projections."""

    def __init__(self, name: str, projections: Iterable[Projection]) -> None:
        """`name` names the reader that drives them."""
        held = tuple(projections)
        self.name = name
        self.folds: tuple[Fold, ...] = tuple(projection.fold for projection in held)
        self.tables = tuple({table.name: table for projection in held for table in projection.tables}.values())
        self._hearing = {
            kind: tuple(fold.apply for fold in self.folds if kind in getattr(fold, "hears", EVENTS)) for kind in EVENTS
        }

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Change rows by one fact."""
        for apply in self._hearing[stored.fact.data.kind]:
            apply(stored, rows)


def kept_in(place: Place, projections: Iterable[Projection]) -> tuple[Projection, ...]:
    """The projections with a store in this place."""
    return tuple(projection for projection in projections if place in projection.kept)


def shown(tables: Iterable[Table]) -> tuple[str, ...]:
    """Names of the tables that readers may see."""
    return tuple(table.name for table in tables if table.shown)
