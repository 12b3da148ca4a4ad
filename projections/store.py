"""The DuckDB store as the runner sees it: `load` and `commit`, on one thread that alone touches the file.

A file that is damaged or of another release's schema is set aside, and the next generation grows from the log: the position in
it says from where.
"""

import asyncio
import functools
import hashlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TypeVar

from cardtrail.projections.projection import Key, Row, Rows, Table
from cardtrail.projections.store_errors import StoreAway
from cardtrail.projections.store_file import MEMORY_MB, StoreFile
from cardtrail.projections.store_generations import Claim, Generations
from cardtrail.projections.store_snapshot import MAKER, publish

_T = TypeVar("_T")


class DuckStore:
    """The generation in force or, before one has caught up, the one that grows; owned by one process."""

    def __init__(
        self, home: Path, tables: Iterable[Table], *, anew: bool = False, memory_mb: int = MEMORY_MB, maker: str = MAKER
    ) -> None:
        """`home` is the folder of generations; with `anew`, a new one grows beside that in force until `promote`.

        `maker` is the module that makes snapshots.
        """
        self._generations, self._maker = Generations(home), maker
        self._tables, self._memory_mb, self._anew = tuple(tables), memory_mb, anew
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="duckdb")
        self._closing = threading.Event()
        self._claim: Claim | None = None
        self._file: StoreFile | None = None
        self._has_published = False  # what an older process left may be of another content
        self.path: Path | None = None

    @property
    def growing(self) -> bool:
        """Whether no reader sees this generation yet: promote it when it has caught up with the log."""
        return self.path is None or self.path != self._generations.current()

    async def load(self) -> tuple[Rows, int]:
        """All keyed rows, and the sequence of the last fact in them; opens the file anew.

        Raises:
            StoreAway: `store-locked` (another process owns it) or `store-failed`; try again later.
        """
        rows, position = await self._on_thread(self._load)
        return Rows(rows), position

    async def commit(self, rows: Rows, position: int) -> None:
        """What was changed and appended in `rows`, and the position, in one transaction.

        Raises:
            StoreAway: load anew, for it is not known whether it was written.
        """
        changes, appended = rows.taken(), rows.taken_appends()
        await self._on_thread(lambda: self._opened().write(changes, appended, position))

    async def promote(self) -> None:
        """This generation is in force from now on and the older ones go; readers keep their snapshot until the next."""
        await self._on_thread(lambda: self._generations.promote(self._opened().path))

    async def snapshot(self) -> Path | None:
        """A copy for readers, published whole; commits wait while it is made. None while this generation grows."""
        return None if self.growing else await self._on_thread(self._snapshot)

    async def digest(self) -> tuple[int, str]:
        """The position, and `sha256:` over every row in a fixed order: two stores of one log at one position have the same."""
        return await self._on_thread(self._digest)

    async def close(self) -> None:
        """Checkpoint, close and give up the claim; a snapshot that is being made is given up."""
        self._closing.set()
        await self._on_thread(self._close)
        self._thread.shutdown()

    async def _on_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, functools.partial(work))

    def _load(self) -> tuple[dict[str, dict[Key, Row]], int]:
        self._close()
        try:
            current = None if self._anew else self._generations.current()
            if current is None or not self._open(current):
                growing = self._generations.next()
                _ = self._open(growing) or self._open(growing)  # an unfinished one may be damaged too
            return self._opened().load()
        except StoreAway:
            self._close()
            raise

    def _open(self, path: Path) -> bool:
        """Open the file or make it; False when it could not be used and was set aside."""
        self._claim = Claim(path)
        problem = self._generations.problem(path, self._closing)
        if not problem:
            try:
                self._file, self.path = StoreFile(path, self._tables, memory_mb=self._memory_mb), path
            except StoreAway as away:
                if away.code != "store-schema":
                    raise
                problem = away.message
        if problem:
            self._generations.set_aside(path, problem)
            self._close()
        return not problem

    def _opened(self) -> StoreFile:
        if self._file is None:
            raise StoreAway("store-failed", "the store is not open")
        return self._file

    def _snapshot(self) -> Path:
        file = self._opened()
        file.checkpoint()
        path = publish(
            file.path,
            self._generations.home,
            file.position(),
            self._maker,
            anew=not self._has_published,
            closing=self._closing,
        )
        self._has_published = True
        return path

    def _digest(self) -> tuple[int, str]:
        file, summed = self._opened(), hashlib.sha256()
        for line in islice(file.lines(), 1, None):  # the position is told apart
            summed.update(line)
        return file.position(), f"sha256:{summed.hexdigest()}"

    def _close(self) -> None:
        file, self._file = self._file, None
        claim, self._claim = self._claim, None
        try:
            if file is not None:
                file.close()
        finally:
            if claim is not None:
                claim.release()
