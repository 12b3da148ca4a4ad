import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardtrail.events.fact import Stored
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.projection import Projection, Row, Rows
from cardtrail.projections.together import Together
from cardtrail.services.bus.stores import MemoryStore
from tests.bench.generate import Generator
from tests.projections.driving import apply, built, content, drive, everything
from tests.projections.every_kind import one_of_each

SIZES = st.lists(st.integers(min_value=1, max_value=150), max_size=5)
LAWS = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])


def log(seed: int, facts: int = 400, agents: int = 6) -> list[Stored]:
    return list(Generator(agents, seed=seed).facts(facts))


def tables(rows: Rows, projection: Projection) -> dict[str, object]:
    keyed = {table.name: rows.table(table.name) for table in projection.tables if table.columns is None}
    return keyed | {name: rows.appended[name] for name in sorted(rows.appended)}


async def in_memory(projection: Projection, facts: Sequence[Stored], sizes: Sequence[int]) -> dict[str, object]:
    store = MemoryStore()
    await drive(store, projection.fold, facts, sizes)
    keyed: dict[str, object] = {
        table.name: store.tables.get(table.name, {}) for table in projection.tables if table.columns is None
    }
    return keyed | dict(sorted(store.appended.items()))


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.fold.name)
@given(seed=st.integers(0, 50), sizes=SIZES)
@LAWS
def test_batches_of_any_size_with_restarts_are_one_by_one(projection: Projection, seed: int, sizes: list[int]) -> None:
    facts = log(seed)
    lived = tables(apply(projection.fold, facts, Rows()), projection)
    assert asyncio.run(in_memory(projection, facts, sizes)) == lived


@given(seed=st.integers(0, 50), sizes=SIZES)
@LAWS
def test_a_duckdb_store_rebuilt_from_nothing_is_the_one_that_lived_through_it_byte_for_byte(
    seed: int, sizes: list[int]
) -> None:
    facts, fold = log(seed), everything()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        lived = asyncio.run(built(Path(first), fold, facts, sizes))
        assert asyncio.run(built(Path(second), fold, facts)) == lived


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.fold.name)
@given(seed=st.integers(0, 50), chosen=st.sets(st.integers(0, 399), max_size=60))
@LAWS
def test_facts_told_again_after_the_window_change_no_keyed_row(
    projection: Projection, seed: int, chosen: set[int]
) -> None:
    facts = log(seed)
    again = [
        facts[place].model_copy(update={"sequence": len(facts) + at, "stored_at": facts[-1].stored_at})
        for at, place in enumerate(sorted(chosen), 1)
    ]
    once, twice = apply(projection.fold, facts, Rows()), apply(projection.fold, [*facts, *again], Rows())
    for table in projection.tables:
        assert twice.table(table.name) == once.table(table.name)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.fold.name)
def test_every_kind_of_fact_is_applied_by_every_projection(projection: Projection) -> None:
    apply(projection.fold, one_of_each(), Rows())


def test_a_fact_told_twice_is_one_row_of_history(tmp_path: Path) -> None:
    facts, fold = log(1), everything()
    again = [fact.model_copy(update={"sequence": 400 + at}) for at, fact in enumerate(facts[:50], 1)]

    async def counted() -> int:
        store = MemoryStore()
        await drive(store, fold, [*facts, *again], [])
        assert len(store.appended["history"]) == 450
        await built(tmp_path, fold, [*facts, *again])
        return int(rows_of(tmp_path / "generation-000001.duckdb", fold, "history"))

    assert asyncio.run(counted()) == 400


def rows_of(path: Path, fold: Together, table: str) -> int:
    from cardtrail.projections.store_file import StoreFile

    file = StoreFile(path, fold.tables)
    found = sum(1 for line in file.lines() if line.startswith(f'["{table}",'.encode()))
    file.close()
    return found


def test_a_projection_names_every_table_it_writes_and_no_two_projections_share_an_appended_one() -> None:
    facts = [*log(3, 2000, 9)]
    appended: list[str] = []
    for projection in PROJECTIONS:
        rows = apply(projection.fold, facts, Rows())
        keyed = {table for (table, _) in rows.changes}
        known = {table.name: table for table in projection.tables}
        assert keyed <= {name for name, table in known.items() if table.columns is None}
        for name, written in rows.appended.items():
            appended.append(name)
            assert all(len(line) == len(known[name].columns or ()) for line in written)
    assert len(appended) == len(set(appended))


def test_keys_name_their_principal_in_every_table_that_readers_see() -> None:
    for projection in PROJECTIONS:
        rows: dict[str, dict[tuple[str, ...], Row]] = {}
        folded = apply(projection.fold, log(2), Rows())
        rows |= {
            table.name: folded.table(table.name) for table in projection.tables if table.shown and table.columns is None
        }
        assert all(key[0] == "public" == row["principal"] for table in rows.values() for key, row in table.items())


def test_content_differs_where_one_fact_differs(tmp_path: Path) -> None:
    facts, fold = log(4), everything()
    whole = asyncio.run(built(tmp_path / "a", fold, facts))
    assert asyncio.run(built(tmp_path / "b", fold, facts[:-1])) != whole
    assert content(tmp_path / "a" / "generation-000001.duckdb", fold) == whole
