"""A bundle into an empty log, where the audit commands find it: the running broker's, or one that is started for this."""

import logging
from collections.abc import Iterator
from pathlib import Path

from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import InputRefused
from cardtrail.services.bundle.files import Bundle
from cardtrail.services.bundle.lines import LAST_SEQUENCE, read_body, read_fact
from cardtrail.services.bundle.manifest import BODIES, FACTS
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.pouring import Marks, Poured, pour
from cardtrail.services.bus.streams import Sizes
from cardtrail.services.cli.audit.on_broker import on_broker
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.outputs.import_ import ImportOutput
from cardtrail.services.settings import Settings


def import_bundle(place: Path, settings: Settings, sizes: Sizes, say: Say) -> ImportOutput:
    """Pour the bundle.

    Raises:
        UsageError: `file-unreadable`, `log-not-empty`. InputRefused: `bundle-unreadable`, `bundle-altered`,
            `bundle-version-unknown`.
    """
    bundle = Bundle(place)
    logging.basicConfig(level=logging.ERROR)
    return on_broker(settings, lambda url: _into(bundle, url, sizes, say))


async def _into(bundle: Bundle, url: str, sizes: Sizes, say: Say) -> ImportOutput:
    told = bundle.manifest
    if not 0 <= told.scope.through <= LAST_SEQUENCE:
        raise InputRefused("bundle-unreadable", f"a log of {told.scope.through} facts is not imported")
    name = raw_digest(told.model_dump_json().encode())
    async with Bus(url, name="cardtrail-import") as bus, watched("importing", told.scope.through, say) as seen:

        def facts() -> Iterator[Poured]:
            for line in bundle.lines(FACTS):
                _, leaf = read_fact(line)
                if not seen.position < leaf.sequence <= told.scope.through:
                    raise InputRefused("bundle-unreadable", f"fact {leaf.sequence} is out of order")
                seen.position = leaf.sequence
                yield Poured(*leaf)

        count = await pour(bus, sizes, facts(), Marks(name, told.scope.known_from, told.scope.through))
    async with Bus(url, name="cardtrail-import", streams=sizes) as bus:
        bodies = 0
        for line in bundle.lines(BODIES):
            agent, principal, data = read_body(line)
            await bus.put_body(agent, principal, data)
            bodies += 1
    return ImportOutput(
        format="cardtrail.import/1",
        facts=count,
        bodies=bodies,
        agents=told.scope.agents,
        known_from=told.scope.known_from,
        through=told.scope.through,
        redacted=told.redaction != "none",
        bundle=name,
    )
