"""The sealer: one more store of the log, a Merkle tree; its head is signed now and then, told as a fact and kept as a file.

It lives with the projector because it does what the projector does, read all in order and keep a position; the position is the
record's last leaf. It takes messages as they are stored, also those this release cannot read, so it is no fold.
"""

import asyncio
import contextlib
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from cardtrail.events import Fact, derived_id
from cardtrail.events.errors import InputRefused, Unreachable, UsageError
from cardtrail.events.subjects import ALL
from cardtrail.services.bus.alone import alone, ended
from cardtrail.services.bus.errors import LogFull, LogMismatch
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.questions import answer
from cardtrail.services.bus.readers import BULK, Reader
from cardtrail.services.bus.retried import Retried
from cardtrail.services.ledger.checkpoint import read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.note import Signer
from cardtrail.services.ledger.sealing import Sealing
from cardtrail.services.seal_files import SEALER, Record, heads, leaves, signing_key
from cardtrail.services.service import Context

log = logging.getLogger("cardtrail.projector")
NAME, QUESTION = SEALER, "cardtrail.query.seal"
_AGAIN_S = 2.0
_BEGINNING = datetime.fromtimestamp(0, UTC)


async def seal(context: Context) -> None:
    """Seal until asked to stop; nothing where no key is set, and nothing over an imported log: it is another's."""
    settings = context.settings.seal
    if settings.key is None or context.bus.connection.imported:
        return
    folder = settings.home(context.settings.broker.data)
    try:
        key = signing_key(settings.key)

        async def sealing() -> None:
            await (await asyncio.to_thread(Sealer, context, key, folder)).run()

        await alone(sealing, context.stop)
    except (UsageError, InputRefused, LogMismatch) as wrong:
        context.alarms.append(f"nothing is sealed any more: {wrong}")
        log.error("nothing is sealed any more: %s", wrong)  # noqa: TRY400 — an operator's fault, not a defect's trace
        await context.stop.wait()


class Sealer:
    """The tree beside its files."""

    def __init__(self, context: Context, key: Signer, folder: Path) -> None:
        """Read the record again, once nobody else can add to it.

        Raises:
            StoreInUse: another sealer has it. UsageError: `seal-broken`, it is not what the last signed head says.
        """
        self._bus, self._stop, self._settings = context.bus, context.stop, context.settings.seal
        self._key, self._seen = key, context.watched(NAME)
        self._sealing, self._due_at, self._at = Sealing(), 0.0, _BEGINNING
        self._record = Record(folder)
        self._pen, self._retried = asyncio.Lock(), Retried(log, "heads are kept and not told")
        try:
            self._resume(folder)
        except BaseException:
            self._record.close()
            raise

    async def run(self) -> None:
        """Read, record, sign when it is time or somebody asks.

        Raises:
            LogMismatch: the log is not the one that was sealed.
        """
        reader = Reader(self._bus.connection, NAME, filter_subject=ALL, mode=BULK)
        self._seen.reader = reader
        try:
            await reader.start(self._sealing.through)
            self._seen.mine = True
            self._seen.moved.set()  # for those who wait for it to begin: a quiet log moves it no more
            await self._follow(reader)
        finally:
            self._seen.mine = False
            await reader.close()
            self._record.close()

    async def _follow(self, reader: Reader) -> None:
        last = await self._bus.raw(self._sealing.through) if self._sealing.through else None
        self._at = last[1] if last is not None else self._at
        stopping = asyncio.ensure_future(self._stop.wait())
        asking = asyncio.create_task(answer(self._bus, QUESTION, self._asked, self._stop))
        reading = asyncio.ensure_future(reader.batch())
        try:
            while not self._stop.is_set():
                await asyncio.wait({reading, stopping}, timeout=self._wait_s(), return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    await self._take(reading.result())
                    await reader.ack(reading.result()[-1])
                    reading = asyncio.ensure_future(reader.batch())
                if self._is_due():
                    await self._sign()
        finally:
            await ended(reading, stopping, asking)

    async def _take(self, batch: list[Delivered]) -> None:
        before = self._sealing.fresh
        taken = [(one.sequence, self._sealing.take(_leaf(one))) for one in batch]
        await asyncio.to_thread(self._record.add, taken)
        if before == 0 and self._sealing.fresh:
            self._due_at = _now() + self._settings.every
        self._seen.position, self._seen.pending, self._at = batch[-1].sequence, batch[-1].pending, batch[-1].stored_at
        self._seen.moved.set()

    def _is_due(self) -> bool:
        fresh = self._sealing.fresh
        return fresh > 0 and (fresh >= self._settings.facts or _now() >= self._due_at)

    def _wait_s(self) -> float | None:
        return max(self._due_at - _now(), 0.0) if self._sealing.fresh else None

    async def _sign(self) -> str:
        """Sign the head: one signature at a time, whoever asks for it while one is due. Raises as `_signed`."""
        async with self._pen:
            return await self._signed()

    async def _signed(self) -> str:
        """The head as of the broker's time of its last leaf; a broker that is away is told of it later.

        Raises:
            ReaderTaken: another sealer has taken over; nothing was told.
        """
        told, note = self._sealing.sealed(self._key)
        name = derived_id(UUID(int=0), "sealer", told.origin, str(told.size))
        try:
            await self._seen.confirmed()
            await self._bus.tell([Fact(id=name, source="cardtrail/sealer", time=self._at, data=told)])
        except (Unreachable, LogFull) as away:
            self._retried.failed(away.code, away)
            self._sealing.fresh, self._due_at = 1, _now() + _AGAIN_S
        else:
            self._retried.worked()
        await asyncio.to_thread(self._record.keep, told.size, note)
        return note

    async def _asked(self, question: dict[str, Any]) -> dict[str, Any]:
        """Sign now, once everything up to the sequence in question is under the head."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._seen.reaches(int(question.get("through", 0))), 30.0)
        return {"note": await self._sign(), "through": self._sealing.through}

    def _resume(self, folder: Path) -> None:
        """Grow the tree again from its record, and see that the last head is on it."""
        last = None
        for _, note in heads(folder) if folder.is_dir() else ():
            last, _ = read_checkpoint(note, [self._key.verifier])
        for sequence, leaf in leaves(folder):
            self._sealing.again(sequence, leaf)
            if last is not None and self._sealing.size == last.size and self._sealing.head("").root != last.root:
                hint = "the record was altered: keep it, and start a new one in another folder"
                raise UsageError("seal-broken", f"the record in {folder} is not what was signed", hint=hint)
        sealed = last.size if last is not None else 0
        self._sealing.fresh = max(self._sealing.size - sealed - 1, 0) if sealed else self._sealing.size
        self._seen.position = self._sealing.through


def _leaf(message: Delivered) -> Leaf:
    return Leaf(message.sequence, message.stored_ns, message.subject, message.data)


def _now() -> float:
    return asyncio.get_running_loop().time()
