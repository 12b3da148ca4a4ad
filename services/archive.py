"""The archive: DuckDB beside the tracker's data, the folds that fill it, the questions its owner answers."""

from pathlib import Path

from cardtrail.projections import PROJECTIONS
from cardtrail.projections.together import Together, kept_in

NAME = "duckdb"
SNAPSHOTS = "cardtrail.services.snapshots"
"""The module that makes snapshots: it knows the sites of hosts."""
SNAPSHOT, DIGEST = "cardtrail.query.snapshot", "cardtrail.query.digest"


def home(data: Path) -> Path:
    """Where the generations and snapshots lie, below the tracker's data folder."""
    return data / NAME


def archive_fold() -> Together:
    """Every projection that is kept in DuckDB, as one fold over the log."""
    return Together(NAME, kept_in("duckdb", PROJECTIONS))
