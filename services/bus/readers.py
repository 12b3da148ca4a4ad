"""Reading the log in order from a position: tail, bulk and replay differ only in size and patience.

`tail` (compile, decide, buckets) takes one and whatever is already there, through a FastStream subscriber. `bulk` (history)
waits up to 0.25 s for more, `replay` is for one pass; both take the short way through nats-py (see `client`), because what
FastStream does for each message (27 µs) alone would cap them below the rate of the broker. All three stand on `pull`, since the
`PullSub` of FastStream uses nats-py's `fetch` (see there) and would handle one fetch's messages at the same time. Nothing is
ever nak'ed or terminated: the position is the truth, and a restart begins behind it.
"""

import asyncio
import itertools
import logging
import secrets
from dataclasses import dataclass
from time import monotonic

import nats.js.errors
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy

from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerUnreachable, LogMismatch, ReaderTaken
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.presence import Presence
from cardtrail.services.bus.pull import Delivered, Interrupted, Listen, Pull

log = logging.getLogger("cardtrail.bus")
_OWNER = "cardtrail-owner"
_NOT_OURS = "facts are gone, or it is another log: cardtrail restore BACKUP, or begin with a data folder of its own"
_ACK_WAIT_S = 300.0
_DEAF_S = 3.0
_BACK_OFF_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Mode:
    """How a reader reads: messages under way, at most in one batch, seconds to linger; durable or for one pass.

    `ahead`: who is driven by it applies the next batch while the one before is committed.
    """

    window: int
    most: int
    linger_s: float = 0.0
    direct: bool = False
    durable: bool = True
    ahead: bool = False


TAIL = Mode(window=512, most=256)
BULK = Mode(window=8192, most=10_000, linger_s=0.25, direct=True, ahead=True)
REPLAY = Mode(window=8192, most=10_000, direct=True, durable=False, ahead=True)
"""A row that changes again and again is written once a batch: ten thousand facts cost half of what five times two thousand do."""


class Reader:
    """One reader of the facts stream, under a stable durable name and one filter subject; one instance runs at a time.

    `blind_since` is the monotonic time since which it is not fed (None = it is), `pending` how many facts follow.
    """

    def __init__(
        self, connection: Connection, name: str, *, filter_subject: str, mode: Mode, stream: str = FACTS
    ) -> None:
        """Nothing happens before `start`."""
        self._connection, self._mode, self._stream, self._filter = connection, mode, stream, filter_subject
        self._owner = secrets.token_hex(8)
        self.name = name if mode.durable else f"{name}-{self._owner}"
        self.ahead = mode.ahead
        listen: Listen = connection.listen_in_bulk if mode.direct else connection.listen
        self._pull = Pull(connection, listen, window=mode.window)
        self._presence = Presence(connection, self._owner)
        self.position = 0
        self.pending = 0
        self.restarts = -1
        self.blind_since: float | None = None

    @property
    def heard_at(self) -> float:
        """Monotonic time of the last sign of life that was taken: a reader that hangs, or is not fed, stands still."""
        return self._pull.heard_at

    async def hears(self) -> None:
        """Returns at the next sign of life."""
        self._pull.heard.clear()
        await self._pull.heard.wait()

    async def claim(self) -> None:
        """Refuse where another instance reads under this name, or has taken it over: asked before anything is touched.

        Raises:
            ReaderTaken, BrokerUnreachable.
        """
        if self._mode.durable:
            with foreign():
                await self._claim()

    async def confirm(self) -> None:
        """As `claim`, where nothing was heard for long: a process that stood still may hold what is another's by now."""
        if monotonic() - self.heard_at > _DEAF_S:
            await self.claim()

    async def start(self, position: int) -> None:
        """Begin with the first fact behind `position`.

        Raises:
            ReaderTaken: another instance is reading under this name.
            LogMismatch: facts behind `position` are no longer in the log, or it ends before it.
            BrokerUnreachable: the broker has closed the connection for good.
        """
        self.position = position
        await self._restart("")

    async def batch(self) -> list[Delivered]:
        """The next facts in order, at least one; waits for them, through restarts of the broker and lost consumers.

        What was handed out does not come again, unless asked for by `start` or `restart`.
        """
        while True:
            try:
                batch = await self._pull.take(self._mode.most, self._mode.linger_s)
            except Interrupted as why:
                await self._restart(str(why))
                continue
            self.position, self.pending = batch[-1].sequence, batch[-1].pending
            return batch

    async def ack(self, last: Delivered) -> None:
        """Everything up to `last` is committed. A lost acknowledgement costs nothing: the position decides."""
        if self._mode.durable:
            try:
                with foreign():
                    await self._connection.nc.publish(last.reply, b"+ACK")
            except BrokerUnreachable:
                log.debug("%s: acknowledgement not sent", self.name)

    async def restart(self, position: int) -> None:
        """Begin again behind `position`, after an error in the store."""
        self.position = position
        await self._restart("asked to")

    async def close(self) -> None:
        """Stop reading; a durable stays, another is removed."""
        await self._pull.end()
        await self._presence.end()
        if not self._mode.durable and self._connection.connected.is_set():
            try:
                with foreign():
                    await self._connection.js.delete_consumer(self._stream, self.name)
            except Exception as error:  # noqa: BLE001 — it will be removed by its inactivity
                log.debug("%s: not removed: %s", self.name, error)

    async def _restart(self, why: str) -> None:
        self.blind_since = self.blind_since or monotonic()
        if self.restarts >= 0 and why:
            log.info("%s: starting again behind %d: %s", self.name, self.position, why)
        for attempt in itertools.count():
            await self._connected()
            try:
                await self._pull.end()  # first, or its standing request would swallow what the reset sends again
                with foreign():
                    await self._set_up()
                    await self._pull.begin(self._stream, self.name, self.position)
            except (BrokerUnreachable, Interrupted) as error:
                log.debug("%s: not yet: %s", self.name, error)
                await asyncio.sleep(_BACK_OFF_S[min(attempt, len(_BACK_OFF_S) - 1)])
                continue
            break
        self.restarts += 1
        self.blind_since = None

    async def _connected(self) -> None:
        waits = {asyncio.ensure_future(event.wait()) for event in (self._connection.connected, self._connection.closed)}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._connection.closed.is_set():
            raise BrokerUnreachable("broker-closed", "the connection to the broker is closed for good")

    async def _set_up(self) -> None:
        js = self._connection.js
        state = (await js.stream_info(self._stream)).state
        begins_late = state.first_seq > self.position + 1
        if begins_late and not (self._connection.imported and self.position == 0):  # a slice begins where it begins
            said = f"the log begins at {state.first_seq}, not at {self.position + 1}"
            raise LogMismatch("log-begins-later", said, hint=_NOT_OURS)
        if state.last_seq < self.position:
            said = f"the log ends at {state.last_seq}, {self.name} is at {self.position}"
            raise LogMismatch("log-ends-earlier", said, hint=_NOT_OURS)
        if not self._mode.durable:
            await self._remove()
            await js.add_consumer(self._stream, self._config(DeliverPolicy.BY_START_SEQUENCE))
            return
        await self._claim()
        await self._presence.begin()
        try:
            await js.add_consumer(self._stream, self._config(DeliverPolicy.ALL))
        except nats.js.errors.APIError:  # a setting that cannot be changed in place differs
            await self._remove()
            await js.add_consumer(self._stream, self._config(DeliverPolicy.ALL))
        await js.reset_consumer(self._stream, self.name, self.position + 1)

    async def _claim(self) -> None:
        """Refuse while another instance has a request standing or answers; give way once another has taken over.

        One that is at work on a backlog has no request standing; one that stands still answers no more.
        """
        for pause_s in _BACK_OFF_S[:-1]:
            info = await self._info()
            owner = (info.config.metadata or {}).get(_OWNER) if info else None
            if info is None or owner == self._owner:
                return
            if self.restarts >= 0:
                raise ReaderTaken("reader-taken", f"another instance has taken over the reader {self.name}")
            if not info.num_waiting and not (owner and await self._presence.of(owner)):
                return
            await asyncio.sleep(pause_s)
        raise ReaderTaken("reader-taken", f"another instance runs the reader {self.name}")

    async def _info(self) -> ConsumerInfo | None:
        try:
            found: ConsumerInfo = await self._connection.js.consumer_info(self._stream, self.name)
        except nats.js.errors.NotFoundError:
            return None
        return found

    async def _remove(self) -> None:
        try:
            await self._connection.js.delete_consumer(self._stream, self.name)
        except nats.js.errors.NotFoundError:
            return

    def _config(self, policy: DeliverPolicy) -> ConsumerConfig:
        config = ConsumerConfig(
            name=self.name,
            deliver_policy=policy,
            filter_subject=self._filter,
            ack_policy=AckPolicy.ALL,
            ack_wait=_ACK_WAIT_S,
            max_ack_pending=2 * (self._mode.window + self._mode.most),
            metadata={_OWNER: self._owner},
        )
        if self._mode.durable:
            config.durable_name = self.name
            return config
        config.ack_policy, config.mem_storage, config.inactive_threshold = AckPolicy.NONE, True, 60.0
        config.max_ack_pending = None
        config.opt_start_seq = self.position + 1
        return config
