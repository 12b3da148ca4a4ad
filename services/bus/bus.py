"""The bus as everybody sees it: tell facts, keep bodies, fetch what is stored."""

import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

import nats.js.errors
from faststream.security import BaseSecurity
from nats.js.api import RawStreamMsg

from cardtrail.events import Fact, Stored, encode
from cardtrail.events.canonical import raw_digest
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.errors import EventRefused
from cardtrail.events.model.value import Value
from cardtrail.events.subjects import ALL, body_subject, subject
from cardtrail.events.upcast import decode
from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.names import BODIES, FACTS, IMPORTED, KNOWN_FROM, STORED_NS
from cardtrail.services.bus.publish import MESSAGE_ID, Message, check_size, publish
from cardtrail.services.bus.pull import instant_of
from cardtrail.services.bus.seams import Seams
from cardtrail.services.bus.snapshot import snapshot
from cardtrail.services.bus.streams import Difference, Sizes, ensure

VERDICT_HEADER = "Cardtrail-Verdict"
FACT_CAP = 256 * 1024
BODY_CAP = 512 * 1024
_ALARMS = (0.80, 0.95)


class LogInfo(Value):
    """The facts stream now: first and last sequence, bytes used and allowed, the broker's time, alarms as text.

    `end` is the last sequence with a message: who waits for a position waits for this one. `known_from`: from here on nothing is
    left out; above 1 where the log begins later, or was imported as a slice.
    """

    first: int
    last: int
    end: int
    facts: int
    bytes: int
    max_bytes: int
    at: datetime
    alarms: tuple[str, ...] = ()
    known_from: int = 1
    imported: str = ""


class Last(Value):
    """The last fact of each subject under a filter, in stream order; `unreadable` are sequences this release cannot read."""

    facts: tuple[Stored, ...]
    unreadable: tuple[int, ...]


class Bus:
    """One connection to the broker; an async context manager.

    `patience_s` seconds are spent on a broker that is away before `BrokerUnreachable`; `streams` sizes make it create
    missing streams on entry, and `differences` says how live ones deviate.
    """

    def __init__(  # noqa: PLR0913 — the settings of one connection
        self,
        url: str,
        *,
        name: str = "cardtrail",
        inbox: str = "_INBOX",
        patience_s: float = 10.0,
        streams: Sizes | None = None,
        security: BaseSecurity | None = None,
        seams: Seams | None = None,
        domain: str = "",
    ) -> None:
        """Nothing happens before the context is entered."""
        self.connection = Connection(url, name=name, inbox=inbox, security=security, domain=domain)
        self.connection.seams = seams or self.connection.seams
        self.differences: tuple[Difference, ...] = ()
        self.patience_s, self._sizes = patience_s, streams

    async def __aenter__(self) -> Self:
        await self.connection.open(within_s=self.patience_s)
        if self._sizes is None:
            return self
        try:
            with foreign():
                self.differences = await ensure(self.connection.js, self._sizes)
            await self.info()
        except BaseException:
            await self.connection.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()

    def message(self, fact: Fact) -> Message:
        """The fact as it will be published; made within a trace, it carries it on in its headers.

        Raises:
            TooLarge: over 256 KiB, or over what the broker takes, headers included.
        """
        headers = {MESSAGE_ID: str(fact.id)} | self.connection.seams.carried()
        if isinstance(fact.data, ChangeDecided):
            headers[VERDICT_HEADER] = fact.data.verdict
        message = Message(subject=subject(fact.data), data=encode(fact), headers=headers)
        check_size(message, FACT_CAP, self.connection.nc.max_payload)
        return message

    async def tell(self, facts: Sequence[Fact]) -> list[int]:
        """Store the facts, in order; their stream sequences. A fact already stored under its id gives that sequence.

        Raises:
            TooLarge: one of them is; nothing was sent.
            LogFull: the stream is at its limit.
            BrokerUnreachable: not acknowledged in time; tell the same facts again.
        """
        return await self.publish([self.message(fact) for fact in facts])

    async def publish(self, messages: Sequence[Message]) -> list[int]:
        """Store messages that were checked before; raises as `tell`."""
        send = partial(publish, self.connection, messages, patience_s=self.patience_s)
        return await self.connection.seams.tell(messages, send)

    async def put_body(self, agent: str, principal: str, data: bytes) -> str:
        """Keep a card's bytes; their digest (`sha256:…`). Told before the fact that names it.

        Raises:
            TooLarge: over 512 KiB. LogFull, BrokerUnreachable: as for `tell`.
        """
        message = self.body(agent, principal, data)
        if not await self.holds(message.subject):
            await self.publish([message])
        return raw_digest(data)

    def body(self, agent: str, principal: str, data: bytes) -> Message:
        """A card's bytes as they will be published.

        Raises:
            TooLarge: over 512 KiB.
        """
        place = body_subject(agent, principal, raw_digest(data))
        # No id: a body that was redacted and is seen again must not be dropped as a repeat.
        message = Message(subject=place, data=data)
        check_size(message, BODY_CAP, self.connection.nc.max_payload)
        return message

    async def holds(self, place: str) -> bool:
        """Whether the body of this subject is stored."""
        return await self._last_raw(BODIES, place) is not None

    async def get_body(self, agent: str, principal: str, digest: str) -> bytes | None:
        """The bytes under a digest, None where they are not (never kept, or redacted)."""
        found = await self._last_raw(BODIES, body_subject(agent, principal, digest))
        return None if found is None else found.data or b""

    async def redact_body(self, agent: str, principal: str, digest: str) -> None:
        """Delete a body for good; the caller tells `BodyRedacted`."""
        with foreign():
            await self.connection.js.purge_stream(BODIES, subject=body_subject(agent, principal, digest))

    async def at(self, sequence: int) -> Stored | None:
        """The fact at a stream sequence, None where there is none.

        Raises:
            EventRefused: it is there and this release cannot read it.
        """
        raw = await self.raw(sequence)
        return None if raw is None else Stored(sequence=raw[0], stored_at=raw[1], fact=decode(raw[2]), raw=raw[2])

    async def raw(self, sequence: int) -> tuple[int, datetime, bytes] | None:
        """Sequence, broker's time and bytes of a stored fact that this release may not be able to read."""
        if not 0 < sequence < 1 << 64:  # the broker's own number; it answers others with an error of another kind
            return None
        with foreign(), contextlib.suppress(nats.js.errors.NotFoundError):
            found = await self.connection.js.get_msg(FACTS, seq=sequence, direct=True)
            return sequence, self._stored_at(found), found.data or b""
        return None

    async def last(self, subject_filter: str) -> Last:
        """What was last said on every subject under the filter, for example of each agent's kind of fact."""
        facts: list[Stored] = []
        unreadable: list[int] = []
        for message in await snapshot(self.connection, FACTS, subject_filter):
            try:
                fact = decode(message.data)
            except EventRefused:
                unreadable.append(message.sequence)
                continue
            facts.append(Stored(sequence=message.sequence, stored_at=message.stored_at, fact=fact, raw=message.data))
        return Last(facts=tuple(facts), unreadable=tuple(unreadable))

    async def info(self) -> LogInfo:
        """The state of the facts stream, with alarms at 80 and 95 % of its limit; an imported log is known as one from now on."""
        answer = await self.connection.ask(f"STREAM.INFO.{FACTS}")
        state, limit = answer["state"], int(answer["config"].get("max_bytes", -1))
        marks = answer["config"].get("metadata") or {}
        self.connection.imported = IMPORTED in marks
        share = state["bytes"] / limit if limit > 0 else 0.0
        alarms = [f"the log is at {share:.0%} of its limit"] if share >= _ALARMS[0] else []
        if share >= _ALARMS[1]:
            alarms.append("the log is almost full: nothing more will be taken at 100 %")
        return LogInfo(
            first=state["first_seq"],
            last=state["last_seq"],
            end=await self._end(state),
            facts=state["messages"],
            bytes=state["bytes"],
            max_bytes=limit,
            at=broker_time(answer),
            alarms=tuple(alarms),
            known_from=int(marks.get(KNOWN_FROM, state["first_seq"] or 1)),
            imported=marks.get(IMPORTED, ""),
        )

    async def _end(self, state: dict[str, Any]) -> int:
        """The last sequence at which a message is: nobody must wait for one that was deleted from the end of the log."""
        last = int(state["last_seq"])
        if not state.get("num_deleted") or not state["messages"] or await self.raw(last) is not None:
            return last
        found = await self._last_raw(FACTS, ALL)
        return int(found.seq) if found is not None else last

    def _stored_at(self, found: RawStreamMsg) -> datetime:
        told = (found.headers or {}).get(STORED_NS) if self.connection.imported else None
        return found.time or datetime.fromtimestamp(0, UTC) if told is None else instant_of(int(told))

    async def _last_raw(self, stream: str, place: str) -> Any:  # noqa: ANN401 — nats-py's RawStreamMsg is half-typed
        with foreign(), contextlib.suppress(nats.js.errors.NotFoundError):
            return await self.connection.js.get_msg(stream, subject=place, direct=True)
        return None


def broker_time(answer: dict[str, Any]) -> datetime:
    """The broker's clock in an answer of its API (`ts`)."""
    return datetime.fromisoformat(str(answer["ts"])).astimezone(UTC)
