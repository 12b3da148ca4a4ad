"""What was known at a sequence: the same folds, stopped there."""

from collections.abc import Iterable

from cardtrail.events.fact import Stored
from cardtrail.projections.projection import Fold, Rows


def as_of(facts: Iterable[Stored], fold: Fold, through: int) -> Rows:
    """The rows of a fold after the last fact up to the sequence `through`; `facts` in stream order from the first."""
    rows = Rows()
    for stored in facts:
        if stored.sequence > through:
            break
        rows.mark()
        fold.apply(stored, rows)
    return rows
