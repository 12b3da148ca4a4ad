"""What leaves: sized as the broker sizes it, once per id, refused loudly when there is no room."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.subjects import subject
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable, LogFull, TooLarge
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.publish import Message, check_size, publish
from cardtrail.services.bus.streams import Sizes
from tests.nats_server import SMALL, fresh_bus
from tests.services.bus.facts import decided, fetched
from tests.streams import PATIENCE_S


def test_facts_are_stored_in_order_and_a_repeat_gives_the_sequence_it_has() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            facts = [fetched(number=number) for number in range(1, 501)]
            assert await bus.tell(facts) == list(range(1, 501))
            assert await bus.tell(facts[100:103]) == [101, 102, 103]
            assert (await bus.info()).last == 500
            assert await bus.tell([]) == []

    asyncio.run(run())


def test_a_card_that_goes_there_and_back_within_the_window_is_three_facts() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            assert await bus.tell([fetched(detail="A"), fetched(detail="B"), fetched(detail="A")]) == [1, 2, 3]

    asyncio.run(run())


def test_a_decision_carries_its_verdict_and_no_header_but_the_id_ends_like_the_id() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            headers = bus.message(decided()).headers
            assert headers["Cardtrail-Verdict"] == "review"
            assert [name for name in headers if name.lower().endswith("nats-msg-id")] == ["Nats-Msg-Id"]
            assert list(bus.message(fetched()).headers) == ["Nats-Msg-Id"]

    asyncio.run(run())


def test_a_message_of_exactly_the_brokers_limit_is_taken_and_the_next_byte_never_sent() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            limit = bus.connection.nc.max_payload
            headers = {"Nats-Msg-Id": "x", "Other": "wörd"}
            place = subject(fetched().data)
            room = limit - Message(subject=place, data=b"", headers=headers).size()
            fits = Message(subject=place, data=b"x" * room, headers=headers)
            check_size(fits, limit, limit)
            assert await publish(bus.connection, [fits], patience_s=PATIENCE_S) == [1]
            with pytest.raises(TooLarge):
                check_size(Message(subject=place, data=b"x" * (room + 1), headers=headers), limit, limit)
            assert bus.connection.connected.is_set()

    asyncio.run(run())


NAMES = st.from_regex(r"[A-Za-z]{1,9}", fullmatch=True)


@given(data=st.binary(max_size=50), headers=st.dictionaries(NAMES, st.text("aé", max_size=9)))
def test_a_size_counts_every_byte_of_headers_and_payload(data: bytes, headers: dict[str, str]) -> None:
    wire = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    assert Message(subject="s", data=data, headers=headers).size() == len(data) + (
        len(f"NATS/1.0\r\n{wire}\r\n".encode()) if headers else 0
    )


def test_a_fact_over_the_cap_is_refused_before_anything_of_its_batch_is_sent() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            with pytest.raises(TooLarge, match="at most 262144"):
                await bus.tell([fetched(), fetched(detail="x" * 262_144)])
            with pytest.raises(TooLarge):
                await bus.put_body("a", "public", b"x" * (512 * 1024 + 1))
            assert (await bus.info()).last == 0

    asyncio.run(run())


def test_a_full_log_refuses_loudly_keeps_what_it_has_and_raises_the_alarm_before() -> None:
    async def run() -> None:
        async with fresh_bus(sizes=SMALL.model_copy(update={"facts": 1 << 20})) as (bus, _):
            with pytest.raises(LogFull):
                await bus.tell([fetched(detail="x" * 20_000) for _ in range(60)])
            info = await bus.info()
            assert (info.first, info.last) == (1, info.facts)
            assert len(info.alarms) == 2
            config = (await bus.connection.js.stream_info(FACTS)).config
            await bus.connection.js.update_stream(config, max_bytes=8 << 20)
            assert await bus.tell([fetched()]) == [info.last + 1]
            assert (await bus.info()).alarms == ()

    asyncio.run(run())


def test_a_broker_that_is_away_is_waited_for_and_then_reported() -> None:
    async def run() -> None:
        async with fresh_bus(patience_s=0.5) as (bus, running):
            running.kill()
            fact = fetched()
            with pytest.raises(BrokerUnreachable):
                await bus.tell([fact])
            running.revive()
            bus.patience_s = PATIENCE_S
            await bus.connection.connected.wait()
            assert await bus.tell([fact]) == [1]

    asyncio.run(run())


def test_two_writers_get_sequences_of_their_own() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running), Bus(running.url) as other:
            told = await asyncio.gather(*(writer.tell([fetched() for _ in range(50)]) for writer in (bus, other)))
            assert sorted(told[0] + told[1]) == list(range(1, 101))

    asyncio.run(run())


def test_sizes_are_positive_numbers_of_bytes() -> None:
    assert min(Sizes().model_dump().values()) > 1 << 20
