"""A subject that no broker takes is refused where the bundle is read; the longest that is read, a broker takes."""

import asyncio

import pytest

from cardtrail.events.errors import InputRefused
from cardtrail.services.bundle.lines import fact_line, read_fact
from cardtrail.services.bus.publish import Message
from cardtrail.services.ledger.leaf import Leaf
from tests.nats_server import fresh_bus

LONGEST = 2_048


def line(length: int) -> bytes:
    subject = "cardtrail.ledger.".ljust(length, "a")
    return fact_line(Leaf(1, 1, subject, b"{}"), None, context=False).model_dump_json().encode()


@pytest.mark.parametrize("length", [LONGEST + 1, 100_000])
def test_a_subject_that_is_longer_than_any_is_no_fact(length: int) -> None:
    with pytest.raises(InputRefused) as refused:
        read_fact(line(length))
    assert refused.value.code == "bundle-unreadable"


def test_the_longest_that_is_read_is_taken_by_the_broker() -> None:
    _, leaf = read_fact(line(LONGEST))

    async def run() -> int:
        async with fresh_bus() as (bus, _):
            await bus.publish([Message(subject=leaf.subject, data=leaf.data)])
            return (await bus.info()).last

    assert asyncio.run(run()) == 1
