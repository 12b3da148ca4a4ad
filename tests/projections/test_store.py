"""What can happen to the store's file, and that it always comes back."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardtrail.events.fact import Stored
from cardtrail.projections.projection import Rows
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_errors import StoreAway
from cardtrail.projections.store_file import StoreFile
from cardtrail.projections.store_generations import Generations, wal
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.store_snapshot import newest
from tests.bench.generate import Generator
from tests.projections.driving import apply, built, content, drive, everything

FOLD = everything()
FACTS = list(Generator(20, seed=11).facts(3000))


def store(home: Path, *, anew: bool = False) -> DuckStore:
    return DuckStore(home, FOLD.tables, anew=anew)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    return asyncio.run(built(tmp_path_factory.mktemp("whole"), FOLD, FACTS))


async def grown(home: Path, facts: list[Stored] = FACTS, *, promoted: bool = True) -> Path:
    """A closed store that knows these facts."""
    live = store(home)
    await drive(live, FOLD, facts, [700, 700])
    if promoted:
        await live.promote()
    assert live.path is not None
    await live.close()
    return live.path


def test_a_reader_gets_an_answer_while_the_owner_writes_and_when_nobody_does(tmp_path: Path) -> None:
    async def live() -> None:
        owner = store(tmp_path)
        await drive(owner, FOLD, FACTS[:1000], [])
        await owner.promote()
        await owner.snapshot()
        rows, position = await owner.load()
        apply(FOLD, FACTS[1000:], rows)
        with Reader(newest(tmp_path)) as reader:
            assert (reader.through, position) == (1000, 1000)
        await owner.commit(rows, 3000)
        await owner.close()

    asyncio.run(live())
    with Reader(newest(tmp_path)) as reader:
        assert reader.through == 3000
        assert reader.query("SELECT count(*) FROM history").rows == ((3000,),)


def test_there_is_nothing_to_read_before_a_generation_has_caught_up(tmp_path: Path) -> None:
    async def growing() -> None:
        live = store(tmp_path)
        await drive(live, FOLD, FACTS[:100], [])
        assert live.growing
        assert await live.snapshot() is None
        await live.close()

    asyncio.run(growing())
    with pytest.raises(StoreAway) as refused:
        newest(tmp_path)
    assert refused.value.code == "store-empty"
    assert refused.value.hint


def test_a_second_owner_of_a_generation_is_refused_with_a_reason(tmp_path: Path) -> None:
    async def two() -> StoreAway:
        first, second = store(tmp_path), store(tmp_path)
        await first.load()
        with pytest.raises(StoreAway) as refused:
            await second.load()
        await first.close()
        _, position = await second.load()
        await second.close()
        assert position == 0
        return refused.value

    refusal = asyncio.run(two())
    assert (refusal.code, "another owner" in refusal.message) == ("store-locked", True)


def test_a_rebuild_grows_beside_the_live_store_and_is_swapped_whole(tmp_path: Path, whole: str) -> None:
    async def rebuilt() -> Path:
        live, anew, another = store(tmp_path), store(tmp_path, anew=True), store(tmp_path, anew=True)
        await drive(live, FOLD, FACTS[:2000], [])
        await live.promote()
        await live.snapshot()
        await drive(anew, FOLD, FACTS[:1500], [])
        with pytest.raises(StoreAway):
            await another.load()
        assert (anew.growing, live.growing) == (True, False)
        with Reader(newest(tmp_path)) as reader:
            assert reader.through == 2000
        await drive(live, FOLD, FACTS, [])
        await drive(anew, FOLD, FACTS, [])
        old = live.path
        await live.close()
        await anew.promote()
        await anew.close()
        assert old is not None
        assert not old.exists()
        assert anew.path is not None
        return anew.path

    path = asyncio.run(rebuilt())
    assert Generations(tmp_path).current() == path
    assert content(path, FOLD) == whole


def damaged_by_a_flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(12_288, len(data), 4096):
        data[at + 100] ^= 0xFF
    path.write_bytes(data)


def damaged_by_noise(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


@pytest.mark.parametrize("damage", [damaged_by_a_flip, damaged_by_noise])
def test_a_damaged_file_is_set_aside_with_its_reason_and_grows_anew(tmp_path: Path, damage: object, whole: str) -> None:
    path = asyncio.run(grown(tmp_path))
    assert callable(damage)
    damage(path)
    assert asyncio.run(built(tmp_path, FOLD, FACTS, [900])) == whole
    aside = tmp_path / "quarantine" / path.name
    assert aside.exists()
    assert (tmp_path / "quarantine" / f"{path.name}.reason").read_text().strip()


@pytest.mark.parametrize(
    "held", [b"", b"\xff\xfe\x00", b"../../../etc/passwd\n", b"generation-x.duckdb", b"x" * 10_000]
)
def test_a_pointer_that_names_no_generation_is_none_and_the_next_grows_beside_all_there_are(
    tmp_path: Path, held: bytes, whole: str
) -> None:
    path = asyncio.run(grown(tmp_path))
    for pointer in ("current", "snapshot"):
        (tmp_path / pointer).write_bytes(held)
    with pytest.raises(StoreAway) as away:
        newest(tmp_path)
    assert away.value.code == "store-empty"
    again = asyncio.run(grown(tmp_path, FACTS))
    assert Generations(tmp_path).current() == again
    assert again.name > path.name
    assert not path.exists()
    assert asyncio.run(built(tmp_path, FOLD, FACTS, [900])) == whole


def test_a_damaged_unfinished_generation_is_begun_again(tmp_path: Path, whole: str) -> None:
    path = asyncio.run(grown(tmp_path, FACTS[:1000], promoted=False))
    damaged_by_noise(path)
    assert asyncio.run(built(tmp_path, FOLD, FACTS)) == whole


def test_readers_of_a_damaged_store_without_owner_have_the_last_snapshot(tmp_path: Path) -> None:
    path = asyncio.run(grown(tmp_path))
    before = newest(tmp_path)
    damaged_by_noise(path)
    assert newest(tmp_path) == before


def test_a_store_of_another_schema_is_rebuilt_not_altered(tmp_path: Path, whole: str) -> None:
    path = tmp_path / "generation-000001.duckdb"
    old = StoreFile(path, FOLD.tables[:3])
    old.close()
    assert asyncio.run(built(tmp_path, FOLD, FACTS)) == whole


CHILD = """
import asyncio, sys
from pathlib import Path
from tests.projections.test_store import FACTS, FOLD, store
from tests.projections.driving import apply

async def main():
    live = store(Path(sys.argv[1]))
    rows, position = await live.load()
    print("loaded", position, flush=True)
    for at in range(position, len(FACTS), 10):
        apply(FOLD, FACTS[at:at + 10], rows)
        await live.commit(rows, FACTS[at:at + 10][-1].sequence)
        print(at, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_a_store_killed_again_and_again_loses_nothing_and_counts_nothing_twice(tmp_path: Path, whole: str) -> None:
    root = Path(__file__).resolve().parents[2]
    for commits in (0, 1, 7, 20, 3):
        command = [sys.executable, "-c", CHILD, str(tmp_path)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, env=os.environ | {"PYTHONPATH": str(root)})
        assert child.stdout is not None
        for _ in range(commits + 1):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert asyncio.run(built(tmp_path, FOLD, FACTS, [500])) == whole


def half_done(home: Path) -> Path:
    """A store that died with its last commits only in the WAL."""
    live = store(home)

    async def work() -> Path:
        await drive(live, FOLD, FACTS[:1000], [400])
        assert live.path is not None
        return live.path

    path = asyncio.run(work())
    saved = home.parent / "crashed"
    saved.mkdir()
    for file in (path, wal(path)):
        (saved / file.name).write_bytes(file.read_bytes())
    asyncio.run(live.close())
    return saved / path.name


@pytest.mark.parametrize("cut", [7, 1000, 20_000])
def test_a_truncated_wal_takes_rows_and_position_back_together(tmp_path: Path, cut: int, whole: str) -> None:
    path = half_done(tmp_path / "live")
    log = wal(path)
    assert log.stat().st_size > cut
    log.write_bytes(log.read_bytes()[:-cut])
    assert asyncio.run(built(path.parent, FOLD, FACTS)) == whole


@pytest.mark.parametrize("at", [40, 5000, -200])
def test_a_flipped_byte_in_the_wal_loses_nothing(tmp_path: Path, at: int, whole: str) -> None:
    path = half_done(tmp_path / "live")
    data = bytearray(wal(path).read_bytes())
    data[at] ^= 0xFF
    wal(path).write_bytes(data)
    assert asyncio.run(built(path.parent, FOLD, FACTS)) == whole


def test_a_wal_removed_while_running_costs_a_reload_at_most(tmp_path: Path, whole: str) -> None:
    async def live() -> None:
        owner = store(tmp_path)
        await drive(owner, FOLD, FACTS[:1000], [])
        assert owner.path is not None
        wal(owner.path).unlink(missing_ok=True)
        for _ in range(3):
            try:
                await drive(owner, FOLD, FACTS, [500])
            except StoreAway:
                continue
        await owner.close()

    asyncio.run(live())
    assert asyncio.run(built(tmp_path, FOLD, FACTS)) == whole


def test_commits_and_snapshots_at_once_stand_in_line_on_one_thread(tmp_path: Path) -> None:
    async def at_once() -> int:
        live = store(tmp_path)
        rows, _ = await live.load()
        await live.promote()
        tasks = []
        for at in range(0, 1000, 250):
            apply(FOLD, FACTS[at : at + 250], rows)
            tasks.append(asyncio.create_task(live.commit(rows, at + 250)))
            await asyncio.sleep(0)
            tasks.append(asyncio.create_task(live.snapshot()))
        await asyncio.gather(*tasks)
        await live.close()
        with Reader(newest(tmp_path)) as reader:
            return int(reader.query("SELECT count(*) FROM history").rows[0][0])

    assert asyncio.run(at_once()) == 1000


@pytest.mark.parametrize(
    ("place", "value"),
    [(1, "no uuid"), (0, -1), (0, "seven"), (15, 2**40), (15, 2**70), (4, 5), (16, "\ud800")],
    ids=["no-uuid", "negative", "no-number", "beyond-its-column", "beyond-any", "no-text", "no-utf-8"],
)
def test_a_commit_that_fails_writes_neither_rows_nor_position(tmp_path: Path, place: int, value: object) -> None:
    async def failing() -> tuple[int, int]:
        live = store(tmp_path)
        rows, _ = await live.load()
        apply(FOLD, FACTS[:10], rows)
        await live.commit(rows, 10)
        apply(FOLD, FACTS[10:20], rows)
        line = [*rows.appended["history"][-1]]
        line[place] = value
        rows.appended["history"][-1] = tuple(line)
        with pytest.raises(StoreAway):
            await live.commit(rows, 20)
        loaded, position = await live.load()
        await live.close()
        return position, len(loaded.table("freshness"))

    expected = apply(FOLD, FACTS[:10], Rows())
    assert asyncio.run(failing()) == (10, len(expected.table("freshness")))


def test_sequences_beyond_63_bits_are_kept(tmp_path: Path) -> None:
    huge = 2**63 + 5
    fact = FACTS[0].model_copy(update={"sequence": huge})
    asyncio.run(built(tmp_path, FOLD, [fact]))
    file = StoreFile(tmp_path / "generation-000001.duckdb", FOLD.tables)
    assert file.position() == huge
    assert any(f'["history", {huge}'.encode() in line for line in file.lines())
    file.close()


def test_a_store_that_another_program_holds_is_named_as_locked(tmp_path: Path) -> None:
    path = asyncio.run(grown(tmp_path))
    holding = f"import duckdb, sys; held = duckdb.connect({str(path)!r}); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdin is not None
    holder.stdout.readline()
    live = store(tmp_path)
    with pytest.raises(StoreAway) as refused:
        asyncio.run(live.load())
    holder.stdin.close()
    holder.wait()
    holder.stdout.close()
    assert refused.value.code == "store-locked"
    assert asyncio.run(live.load())[1] == 3000
    asyncio.run(live.close())


def test_ten_thousand_facts_waiting_do_not_keep_a_store_from_closing(tmp_path: Path) -> None:
    async def stopping() -> float:
        live = store(tmp_path)
        rows, _ = await live.load()
        apply(FOLD, FACTS, rows)
        commit = asyncio.create_task(live.commit(rows, 3000))
        await asyncio.sleep(0)
        begun = time.monotonic()
        await live.close()
        await commit
        return time.monotonic() - begun

    assert asyncio.run(stopping()) < 10
