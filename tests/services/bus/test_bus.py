"""What is stored can be fetched: bodies by digest and principal, facts by sequence, the last fact of each subject."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import EventRefused
from cardtrail.events.subjects import subject
from cardtrail.services.bus.bus import broker_time
from cardtrail.services.bus.publish import Message
from tests.nats_server import fresh_bus
from tests.services.bus.facts import fetched


def test_a_body_is_found_by_agent_principal_and_digest_and_by_nothing_less() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            digest = await bus.put_body("a.example", "team", b'{"name": 1}')
            assert digest == raw_digest(b'{"name": 1}')
            assert await bus.get_body("a.example", "team", digest) == b'{"name": 1}'
            assert await bus.get_body("a.example", "public", digest) is None
            assert await bus.get_body("b.example", "team", digest) is None
            assert await bus.get_body("a.example", "team", "sha256:" + "0" * 64) is None

    asyncio.run(run())


def test_a_body_is_kept_once_and_a_redacted_one_can_be_kept_again_at_once() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            for _ in range(3):
                digest = await bus.put_body("a", "public", b"same")
            assert (await bus.connection.js.stream_info("CARDTRAIL_BODIES")).state.messages == 1
            await bus.redact_body("a", "public", digest)
            assert await bus.get_body("a", "public", digest) is None
            await bus.put_body("a", "public", b"same")
            assert await bus.get_body("a", "public", digest) == b"same"

    asyncio.run(run())


def test_an_empty_body_is_a_body() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            assert await bus.get_body("a", "public", await bus.put_body("a", "public", b"")) == b""

    asyncio.run(run())


def test_a_fact_is_fetched_by_its_sequence_with_the_brokers_time() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            fact = fetched()
            await bus.tell([fact])
            stored = await bus.at(1)
            assert stored is not None
            assert (stored.sequence, stored.fact) == (1, fact)
            assert abs(stored.stored_at - datetime.now(UTC)) < timedelta(seconds=30)
            assert await bus.at(2) is None

    asyncio.run(run())


def test_a_fact_of_a_newer_release_is_refused_by_name_and_listed_as_unreadable() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            message = bus.message(fetched())
            newer = Message(subject=message.subject, data=message.data.replace(b".v1", b".v9"))
            await bus.publish([newer])
            with pytest.raises(EventRefused, match="newer"):
                await bus.at(1)
            last = await bus.last("cardtrail.events.>")
            assert (last.facts, last.unreadable) == ((), (1,))

    asyncio.run(run())


def test_the_last_fact_of_each_agent_is_a_snapshot_also_of_thousands() -> None:
    async def run() -> None:
        facts = [fetched(agent=f"agent-{number % 1500}", number=number) for number in range(1, 3001)]
        async with fresh_bus(holding=facts) as (bus, _):
            last = await bus.last("cardtrail.events.>")
            assert [stored.fact.data.latency_ms for stored in last.facts] == list(range(1501, 3001))  # type: ignore[attr-defined]
            assert (await bus.last("cardtrail.decisions.>")).facts == ()
            assert (await bus.connection.js.stream_info("CARDTRAIL_FACTS")).state.consumer_count == 0

    asyncio.run(run())


@pytest.mark.parametrize(
    ("text", "micro"),
    [("2026-11-30T19:51:05.849580361Z", 849_580), ("2026-11-30T19:51:05Z", 0), ("2026-11-30T19:51:05.8Z", 800_000)],
)
def test_the_brokers_clock_is_read_to_the_microsecond(text: str, micro: int) -> None:
    assert broker_time({"ts": text}) == datetime(2026, 11, 30, 19, 51, 5, micro, UTC)


HOSTILE = (
    "", " ", ".", "..", "*", ">", "a.*.b", "a.>", "$JS.API.STREAM.DELETE.X", "a b", "a\tb", "a\r\nPUB x 0\r\n\r\n", "\x00",
    "ä", "日本語", "😀", "=", "=41", "A", "=hx", "x" * 129, "x" * 130, "ü" * 300, "_", "-", "https://a.example/card.json",
    "https://A.example/card.json", "cardtrail.events.>",
)  # fmt: skip


def test_agents_with_hostile_names_are_kept_apart_and_found_again() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched(agent, number) for number, agent in enumerate(HOSTILE, 1)])
            last = await bus.last("cardtrail.events.>")
            assert [stored.fact.data.agent for stored in last.facts] == list(HOSTILE)  # type: ignore[attr-defined]
            for number, agent in enumerate(HOSTILE, 1):
                found = await bus.last(subject(fetched(agent).data))
                assert [stored.sequence for stored in found.facts] == [number]
                digest = await bus.put_body(agent, agent, agent.encode())
                assert await bus.get_body(agent, agent, digest) == agent.encode()

    asyncio.run(run())
