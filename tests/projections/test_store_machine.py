"""What is the machine's fault and not the file's, and what children do when their store ends."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_errors import Damaged, QueryRefused, StoreAway
from cardtrail.projections.store_generations import LOCKED, MACHINE, QUARANTINE, Claim, Generations
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.store_snapshot import newest, publish
from tests.projections.driving import apply, built, drive
from tests.projections.test_store import FACTS, FOLD, grown, half_done, store
from tests.streams import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
HERE = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


def checked(path: Path, limit: str = "") -> int:
    """The exit status of the check of a file, under a limit of the machine."""
    checks = "from cardtrail.projections.store_check import check; from pathlib import Path"
    code = f"import resource, sys\n{checks}\n{limit}\nsys.exit(check(Path({str(path)!r})))"
    return subprocess.run([sys.executable, "-c", code], check=False, env=HERE, capture_output=True).returncode


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ("resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))", MACHINE),
        ("resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))", 0),
    ],
    ids=["no more open files", "no room"],
)
def test_a_healthy_file_is_not_given_up_because_the_machine_is_short(limit: str, status: int, tmp_path: Path) -> None:
    path = half_done(tmp_path / "live")
    assert checked(path, limit) == status
    assert checked(path) == 0


@pytest.mark.parametrize(
    "place",
    [lambda home: home / "file" / "deeper", lambda home: home / "file"],
    ids=["below a file", "a file"],
)
def test_a_place_that_cannot_be_a_folder_is_said_in_our_words(place: Callable[[Path], Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreAway) as away:
        Generations(place(tmp_path))
    assert (away.value.code, "cannot be made" in away.value.message) == ("store-failed", True)


def test_a_folder_that_is_gone_takes_no_claim_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreAway) as away:
        Claim(tmp_path / "gone" / "generation-000001.duckdb")
    assert (away.value.code, "cannot be written" in away.value.message) == ("store-failed", True)
    held = Claim(tmp_path / "generation-000001.duckdb")
    with pytest.raises(StoreAway) as away:
        Claim(tmp_path / "generation-000001.duckdb")
    assert away.value.code == "store-locked"
    held.release()


def test_a_store_that_is_closed_gives_up_a_snapshot_that_is_being_made(tmp_path: Path) -> None:
    async def run() -> float:
        live = DuckStore(tmp_path, FOLD.tables, maker="tests.projections.slow_maker")
        await drive(live, FOLD, FACTS[:200], [])
        await live.promote()
        making = asyncio.create_task(live.snapshot())
        while not (tmp_path / "begun").exists():  # noqa: ASYNC110 — a child says it with a file
            await asyncio.sleep(0.01)
        begun = time.monotonic()
        await live.close()
        with pytest.raises(StoreAway):
            await making
        return time.monotonic() - begun

    assert asyncio.run(run()) < PATIENCE_S
    assert asyncio.run(built(tmp_path, FOLD, FACTS)) == asyncio.run(built(tmp_path / "other", FOLD, FACTS))


def test_what_a_maker_that_was_killed_left_behind_goes_with_the_next_snapshot(tmp_path: Path) -> None:
    path = asyncio.run(grown(tmp_path))
    left = [tmp_path / f"growing-snapshot-{number}.duckdb" for number in (1, 2)]
    for file in left:
        file.write_bytes(b"half")
    target = publish(path, tmp_path, 3000)
    assert [file for file in left if file.exists()] == []
    with Reader(target) as reader:
        assert reader.through == 3000


@pytest.mark.parametrize("kind", ["emptied", "cut", "zeroed", "flipped"])
def test_a_snapshot_that_is_damaged_is_named_as_that_and_not_as_a_bad_question(kind: str, tmp_path: Path) -> None:
    asyncio.run(grown(tmp_path))
    snapshot = newest(tmp_path)
    damage(snapshot, kind)
    with pytest.raises(Damaged), Reader(snapshot) as reader:
        reader.query("SELECT count(*), sum(length(event::VARCHAR)), min(detail) FROM history")
    snapshot.unlink()
    with Reader(newest(tmp_path)) as reader:
        assert reader.through == 3000


def test_a_question_that_speaks_of_damage_is_a_question(tmp_path: Path) -> None:
    asyncio.run(grown(tmp_path))
    with Reader(newest(tmp_path)) as reader, pytest.raises(QueryRefused):
        reader.query("SELECT error('Corrupt database file: could not read enough bytes from file')")


def damage(path: Path, kind: str) -> None:
    data = bytearray(path.read_bytes())
    match kind:
        case "emptied":
            data = bytearray()
        case "cut":
            del data[len(data) // 3 :]
        case "zeroed":
            data[:8192] = bytes(8192)
        case _:
            for at in range(20_000, len(data), 2_000):
                data[at] ^= 0xFF
    path.write_bytes(data)


GROWS = """
import asyncio, sys
from pathlib import Path
from tests.projections.driving import drive
from tests.projections.test_store import FACTS, FOLD, store
from tests.streams import PATIENCE_S

async def main():
    while True:
        for anew in (False, True):
            live = store(Path(sys.argv[1]), anew=anew)
            print("opens", flush=True)
            await drive(live, FOLD, FACTS[:600], [200])
            await live.promote()
            await live.snapshot()
            await live.close()
asyncio.run(main())
"""


def test_a_store_killed_while_it_makes_swaps_or_copies_a_generation_opens_again(tmp_path: Path) -> None:
    """Tables are made, generations swapped, snapshots published: kill -9 anywhere in it costs nothing but time."""
    expected = asyncio.run(built(tmp_path / "other", FOLD, FACTS[:600]))
    home = tmp_path / "home"
    for number in range(8):
        child = subprocess.Popen([sys.executable, "-c", GROWS, str(home)], stdout=subprocess.PIPE, cwd=ROOT, env=HERE)
        assert child.stdout is not None
        child.stdout.readline()
        with child:
            child.stdout.read(0)
            time.sleep(0.13 * number)  # anywhere: there is no event to wait for
            child.send_signal(signal.SIGKILL)
    assert asyncio.run(built(home, FOLD, FACTS[:600])) == expected
    assert not (home / QUARANTINE).exists()
    asyncio.run(grown(home, FACTS[:600]))
    with Reader(newest(home)) as reader:
        assert reader.through == 600


def test_a_check_of_a_held_file_says_locked_and_never_damaged(tmp_path: Path) -> None:
    path = asyncio.run(grown(tmp_path))
    holding = f"import duckdb, sys; held = duckdb.connect({str(path)!r}); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdin is not None
    holder.stdout.readline()
    assert checked(path) == LOCKED
    holder.stdin.close()
    holder.wait()
    holder.stdout.close()


def test_commits_snapshots_and_digests_all_at_once_end_as_one_after_the_other(tmp_path: Path) -> None:
    async def run() -> str:
        live = store(tmp_path / "busy")
        rows, _ = await live.load()
        await live.promote()
        beside: list[asyncio.Task[object]] = []
        for at in range(0, 1500, 100):
            apply(FOLD, FACTS[at : at + 100], rows)
            beside.append(asyncio.ensure_future(live.digest()))
            if at % 500 == 0:
                beside.append(asyncio.ensure_future(live.snapshot()))
            await live.commit(rows, FACTS[at + 99].sequence)
        await asyncio.gather(*beside)
        _, digest = await live.digest()
        await live.close()
        return digest

    async def alone() -> str:
        live = store(tmp_path / "alone")
        await drive(live, FOLD, FACTS[:1500], [])
        _, digest = await live.digest()
        await live.close()
        return digest

    assert asyncio.run(run()) == asyncio.run(alone())


def test_a_child_ends_with_the_store_that_it_works_for(tmp_path: Path) -> None:
    """Killed or not: an orphan would hold the file of the next owner."""
    target = str(tmp_path / "target")
    asks = f"in_child('tests.projections.slow_maker', ['x', {target!r}])"
    code = f"from cardtrail.projections.store_child import in_child; {asks}"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=HERE)
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    (child,) = (int(one) for one in Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split())
    ended = os.pidfd_open(child)
    parent.kill()
    parent.wait()
    gone = select.select([ended], [], [], PATIENCE_S)[0]
    os.close(ended)
    assert gone, "it goes on without its parent"


def test_a_maker_that_aborts_takes_nobody_with_it_and_the_older_snapshot_stays(tmp_path: Path) -> None:
    async def run() -> Path:
        live = store(tmp_path)
        await drive(live, FOLD, FACTS[:200], [])
        await live.promote()
        older = await live.snapshot()
        await live.close()
        aborting = DuckStore(tmp_path, FOLD.tables, maker="tests.projections.aborting_maker")
        await drive(aborting, FOLD, FACTS[:400], [])
        with pytest.raises(StoreAway) as failed:
            await aborting.snapshot()
        assert "no snapshot could be made" in failed.value.message
        _, position = await aborting.load()
        assert position == 400
        await aborting.close()
        assert older is not None
        return older

    with Reader(asyncio.run(run())) as reader:
        assert reader.through == 200
    with Reader(newest(tmp_path)) as reader:
        assert reader.through == 400
