"""The compiler's process: bodies fetched beside the facts that name them, the fold driven over the log."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from cardtrail.events import Event, Fact, ProfileCompiled, Stored
from cardtrail.events.errors import EventRefused
from cardtrail.events.upcast import decode
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.alone import alone
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.runner import run_deriver
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.compiler.compiled import compiled
from cardtrail.services.compiler.compiler import Compiler
from cardtrail.services.compiler.observation import NAME, Body
from cardtrail.services.service import Context

TOLD = "cardtrail.events.*.*.*.profile-compiled.>"


async def run(context: Context) -> None:
    """Compile every observation until asked to stop, unless another compiler does; its memory is the bucket `state_compiler`."""
    fed = Fed(Compiler(compiled, COMPILER_VERSION), context.bus)
    store, seen = KvStore(context.bus, "state", NAME), context.watched(NAME)

    async def compiling() -> None:
        await run_deriver(
            context.bus, fed, store, prepare=fed.prepare, told_through=told_through, stop=context.stop, progress=seen
        )

    await alone(compiling, context.stop)


async def told_through(bus: Bus) -> int:
    """The sequence of the latest observation whose profile is on the log."""
    last = await bus.last(TOLD)
    return max(
        (one.fact.data.card_sequence for one in last.facts if isinstance(one.fact.data, ProfileCompiled)), default=0
    )


class Fed:
    """The compiler with the bodies of the batch in hand."""

    name = NAME

    def __init__(self, compiler: Compiler, bus: Bus) -> None:
        """Fetch bodies over this bus."""
        self._compiler, self._bus = compiler, bus
        self._bodies: Mapping[Body, bytes] = {}

    async def prepare(self, batch: Sequence[bytes], rows: Rows) -> None:
        """Fetch all bodies that the batch can need, at once.

        Raises:
            BrokerUnreachable: the batch comes again.
        """
        wanted = sorted(self._compiler.wants(_readable(batch), rows))
        found = await asyncio.gather(*(self._bus.get_body(*body) for body in wanted))
        self._bodies = {body: data for body, data in zip(wanted, found, strict=True) if data is not None}

    def derive(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
        """See `Compiler.derive`."""
        return self._compiler.derive(stored, rows, self._bodies)


def _readable(batch: Sequence[bytes]) -> Iterator[Event]:
    """The events of a batch; what cannot be read is parked when its turn comes."""
    for data in batch:
        try:
            yield decode(data).data
        except EventRefused:
            continue
