"""Streams without end: each is left after so many events, bytes or seconds, and what was seen of it decides."""

import asyncio
import itertools
import json
from collections.abc import Iterator

import pytest

from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.read import read_card
from cardtrail.services.outbound.client import Door
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.memory import Subject
from cardtrail.services.prober.probe import Judged
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.prober.tried import Target, tried
from cardtrail.services.settings import ProbeSettings, TlsSettings
from tests.a2a_agent import card
from tests.agent_host import AgentHost, Reply
from tests.services.prober.asking import HERE, MESSAGE, NOW

_WORKING = {"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}}
EVENT = f"data: {json.dumps({'jsonrpc': '2.0', 'result': _WORKING})}\n\n".encode()
JUNK = b"data: {}\n\n"
COMMENT = b": " + b"c" * 60_000 + b"\n\n"


def streamed(chunks: Iterator[bytes], settings: ProbeSettings) -> Judged:
    """What the streaming probe says of an agent that answers with this stream."""

    async def here(_name: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async def run() -> Judged:
        with AgentHost("agent.example") as host:
            reading = read_card(json.dumps(card(host.url(""))).encode())
            assert reading.card is not None
            made = compile_profile(reading.card, ClientCapabilities())
            assert made.interface is not None
            path = made.interface.url.removeprefix(host.url(""))
            host.serve(path or "/", Reply(chunks=chunks, headers={"Content-Type": "text/event-stream"}))
            async with Door(None, TlsSettings(ca_bundle=host.ca_file, only=True), resolver=here) as door:
                asker = Asker(door.open, settings, lambda: NOW)
                target = Target(Subject(profile=made, endpoints=HERE), made, made.interface, None)
                probe = PROBES["streaming"]
                (claim,) = probe.claims(made)
                attempt = probe.attempt(made.interface, made, claim, MESSAGE)
                return (await tried(asker, probe, claim, attempt, target)).judged

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("first", "then", "outcome", "reason"),
    [
        ((EVENT,), EVENT, "held", "event-received"),
        ((EVENT,), COMMENT, "held", "event-received"),
        ((JUNK,), JUNK, "contradicted", "not-a2a"),
        ((JUNK,), COMMENT, "contradicted", "not-a2a"),
        ((), COMMENT, "inconclusive", "event-too-large"),
    ],
)
def test_a_stream_that_never_ends_is_judged_by_what_came(
    first: tuple[bytes, ...], then: bytes, outcome: str, reason: str
) -> None:
    judged = streamed(itertools.chain(first, itertools.repeat(then)), ProbeSettings(total_s=30.0, events=8))
    assert (judged.outcome, judged.reason) == (outcome, reason)


def test_junk_is_counted_among_the_events_that_are_read_at_most() -> None:
    sent = 0

    def junk() -> Iterator[bytes]:
        nonlocal sent
        while sent < 100_000:
            sent += 1
            yield JUNK

    assert streamed(junk(), ProbeSettings(total_s=30.0, events=3)).reason == "not-a2a"
    assert sent < 100_000
