"""One trace from a look to the decision that follows, beside the log and never in it; metrics of what was handled and told."""

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from cardtrail.events import CardFetched, LockfilePinned, Stored, encode
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.metering import Meters
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.seams import Seams
from cardtrail.services.bus.tracing import traces
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.compiler.compiled import compiled
from cardtrail.services.compiler.compiler import Compiler
from cardtrail.services.compiler.observation import Body
from cardtrail.services.config_file import read_settings
from cardtrail.services.service import Context, app
from cardtrail.services.telling import operator_fact, read_locks, tell_settings
from tests.agent_host import AgentHost, Reply
from tests.nats_server import SMALL, fresh_bus
from tests.projections.facts import LOCK, lock
from tests.services.cli.cards import card
from tests.streams import PATIENCE_S

WELL_KNOWN = "/.well-known/agent-card.json"
HOST = "pricing.example"
CHAIN = ("card-fetched", "profile-compiled", "change-decided")


class Watched:
    """The fetcher, the compiler and the decider as tasks of this process, all their spans in one place."""

    def __init__(self, bus: Bus, host: AgentHost) -> None:
        self.bus, self.host, self.spans = bus, host, InMemorySpanExporter()
        self.meters: dict[str, Meters] = {}

    async def facts(self) -> dict[str, tuple[Stored, dict[str, str]]]:
        """The first fact of each kind of the chain, with its headers; waits until all are there."""
        found: dict[str, tuple[Stored, dict[str, str]]] = {}
        sequence = 1
        async with asyncio.timeout(PATIENCE_S):
            while set(CHAIN) - set(found):
                stored = await self.bus.at(sequence)
                if stored is None:
                    await asyncio.sleep(0.02)
                    continue
                raw = await self.bus.connection.js.get_msg(FACTS, seq=sequence, direct=True)
                found.setdefault(stored.fact.data.kind, (stored, dict(raw.headers or {})))
                sequence += 1
        return found

    async def metrics(self, service: str) -> dict[tuple[str, str], float]:
        """(name of a sample, who handled or where it went) → value."""
        text = (await self.meters[service].answering()({}))["text"]
        return {
            (sample.name, sample.labels.get("handler", sample.labels.get("destination", ""))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


@contextlib.asynccontextmanager
async def watched(folder: Path, *, traced: bool) -> AsyncIterator[Watched]:
    with AgentHost(HOST) as host:
        text = (
            f'[tls]\nca_bundle = "{host.ca_file}"\n[hosts]\n"{HOST}" = "127.0.0.1"\n'
            f'[agents.pricing]\ncard_url = "{host.url(WELL_KNOWN, HOST)}"\nnetworks = ["127.0.0.0/8"]\n'
        )
        url = f"https://{HOST}:{host.port}/a2a"
        body = json.dumps(
            card(supportedInterfaces=[{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}])
        )
        host.serve(WELL_KNOWN, Reply(body.encode(), headers={"Content-Type": "application/json"}), host=HOST)
        settings = read_settings(text, "cardtrail.toml", folder)
        async with fresh_bus() as (bus, server), contextlib.AsyncExitStack() as stack:
            held = Watched(bus, host)
            provider = TracerProvider(shutdown_on_exit=False)
            provider.add_span_processor(SimpleSpanProcessor(held.spans))
            stack.callback(provider.shutdown)
            stop, tasks = asyncio.Event(), []
            await tell_settings(bus, settings, read_locks(settings))
            pin = lock()
            await bus.tell(
                [operator_fact(LockfilePinned(agent="pricing", workflow="trip", lockfile=pin, lock_digest=LOCK), "t")]
            )
            for name in ("fetcher", "compiler", "decider"):
                held.meters[name] = Meters(name)
                seams = Seams(held.meters[name].middleware, traces(provider) if traced else None)
                line = await stack.enter_async_context(Bus(server.url, name=name, streams=SMALL, seams=seams))
                (own := folder / name).mkdir()
                context = Context(name=name, settings=settings, bus=line, folder=own, stop=stop)
                tasks.append(asyncio.ensure_future(app(name)(context)))
            try:
                yield held
            finally:
                stop.set()
                await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)


def trace_of(headers: dict[str, str]) -> str:
    return headers["traceparent"].split("-")[1]


def by_trace(spans: tuple[ReadableSpan, ...]) -> dict[str, list[ReadableSpan]]:
    found: defaultdict[str, list[ReadableSpan]] = defaultdict(list)
    for span in spans:
        found[format(span.get_span_context().trace_id, "032x")].append(span)
    return found


def ancestors(span: ReadableSpan, spans: list[ReadableSpan]) -> Iterator[str]:
    """The span's name, its parent's, and so on to the root of the trace."""
    by_id = {one.get_span_context().span_id: one for one in spans}
    at: ReadableSpan | None = span
    while at is not None:
        yield at.name
        at = by_id.get(at.parent.span_id) if at.parent else None


def test_one_trace_leads_from_the_look_through_the_profile_to_the_decision(tmp_path: Path) -> None:
    async def run() -> None:
        async with watched(tmp_path, traced=True) as held:
            facts = await held.facts()
        (trace,) = {trace_of(facts[kind][1]) for kind in CHAIN}
        spans = by_trace(held.spans.get_finished_spans())[trace]
        (deciding,) = [one for one in spans if one.name == "decider profile-compiled process"]
        assert list(ancestors(deciding, spans)) == [
            "decider profile-compiled process",
            "compiler card-fetched process",
            "due_refresh process",
            "due_refresh create",
        ]
        assert {one.name for one in spans} >= {"cardtrail.events publish"}

    asyncio.run(run())


def test_a_trace_changes_no_byte_of_what_is_told(tmp_path: Path) -> None:
    async def run() -> None:
        async with watched(tmp_path, traced=True) as held:
            facts = await held.facts()
            look = facts["card-fetched"][0]
            assert isinstance(look.fact.data, CardFetched)
            body: Body = ("pricing", "public", look.fact.data.raw_digest)
            card = await held.bus.get_body(*body)
            everything = [await held.bus.at(sequence) for sequence in range(1, look.sequence + 1)]
        rows, again = Rows(), Compiler(compiled, COMPILER_VERSION)
        told = [again.derive(stored, rows, {body: card or b""}) for stored in everything if stored is not None]
        assert [encode(fact) for fact in told[-1]] == [facts["profile-compiled"][0].raw]

    asyncio.run(run())


def test_without_a_wish_for_traces_no_fact_carries_one_and_no_span_is_made(tmp_path: Path) -> None:
    async def run() -> None:
        async with watched(tmp_path, traced=False) as held:
            facts = await held.facts()
        assert [kind for kind in CHAIN if "traceparent" in facts[kind][1]] == []
        assert held.spans.get_finished_spans() == ()

    asyncio.run(run())


def test_what_is_handled_and_told_is_counted_by_reader_and_never_by_agent(tmp_path: Path) -> None:
    async def run() -> None:
        async with watched(tmp_path, traced=False) as held:
            await held.facts()
            compiler, fetcher = await held.metrics("compiler"), await held.metrics("fetcher")
            decider = await held.metrics("decider")
        assert compiler["faststream_received_messages_total", "compiler"] >= 3
        assert fetcher["faststream_received_messages_total", "due_refresh"] == 1
        assert fetcher["faststream_published_messages_total", "cardtrail.events"] == 1
        assert fetcher["faststream_published_messages_total", "cardtrail.bodies"] == 1
        assert decider["faststream_published_messages_total", "cardtrail.decisions"] == 1
        assert compiler["process_resident_memory_bytes", ""] > 0
        assert not [handler for _, handler in (*compiler, *fetcher, *decider) if "pricing" in handler]

    asyncio.run(run())
