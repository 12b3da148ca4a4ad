"""Facts of every shape ever released are projected as they were when it was released, byte for byte.

A difference is a change of what every kept log means: where it is wanted, `write` makes the rows anew.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cardtrail.events import Stored
from cardtrail.events.upcast import decode
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.projection import Rows
from tests.projections.driving import apply

SAMPLES = Path(__file__).parents[1] / "events" / "samples"
ROWS = Path(__file__).with_name("rows_of_samples.json")
_LIFE = ("policy-declared", "agent-tracked", "card-fetched", "profile-compiled", "lockfile-pinned", "change-decided")
_END = ("lockfile-released", "agent-untracked", "body-redacted", "checkpoint-signed")


def stored() -> list[Stored]:
    """Each sample once, in the order of a life: what others rest on first, the ends last."""

    def place(path: Path) -> tuple[int, int, str]:
        kind = path.name.partition(".")[0]
        if kind in _LIFE:
            return 0, _LIFE.index(kind), path.name
        return (2, _END.index(kind), path.name) if kind in _END else (1, 0, path.name)

    facts = []
    for sequence, path in enumerate(sorted(SAMPLES.glob("*.json"), key=place), 1):
        raw = path.read_bytes().rstrip(b"\n")
        at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(minutes=sequence)
        facts.append(Stored(sequence=sequence, stored_at=at, fact=decode(raw), raw=raw))
    return facts


def projected() -> str:
    """Every row of every projection after each third of the samples, so that an end does not hide what stood before."""
    facts, told = stored(), {}
    for through in (len(facts) // 3, 2 * len(facts) // 3, len(facts)):
        for projection in PROJECTIONS:
            rows = apply(projection.fold, facts[:through], Rows())
            keyed = {
                table.name: {"/".join(key): row for key, row in sorted(rows.table(table.name).items())}
                for table in projection.tables
                if table.columns is None
            }
            appended = dict(sorted(rows.appended.items()))
            told[f"{projection.fold.name} through {through}"] = {"rows": keyed, "appended": appended}
    return json.dumps(told, indent=1, sort_keys=True, default=str, ensure_ascii=False) + "\n"


def write() -> None:
    """`python -c "from tests.projections.test_samples import write; write()"`."""
    ROWS.write_text(projected(), "utf-8")


def test_every_shape_ever_released_is_projected_as_it_was() -> None:
    assert json.loads(projected()) == json.loads(ROWS.read_text("utf-8"))
    assert projected() == ROWS.read_text("utf-8")


def test_the_rows_hold_something_of_every_projection() -> None:
    told = json.loads(ROWS.read_text("utf-8"))
    for projection in PROJECTIONS:
        mine = [value for name, value in told.items() if name.startswith(f"{projection.fold.name} through")]
        assert any(rows for value in mine for rows in (*value["rows"].values(), *value["appended"].values()))
