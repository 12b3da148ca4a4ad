"""`redact`: the bytes of a card are gone, what rests on them stays, and the log says who had it done and why."""

import asyncio
import shlex
from pathlib import Path

from cardtrail.events import BodyRedacted
from cardtrail.services.bus.bus import Bus
from cardtrail.services.cli.formats.words import short_digest
from tests.nats_server import SMALL, server
from tests.projections.facts import full
from tests.projections.log import Log
from tests.services.cli.program import Done, cardtrail

CARD = b'{"name": "Mira, 12 High Street"}'


def test_the_bytes_behind_a_look_are_deleted_once_and_told_once(tmp_path: Path) -> None:
    async def run(url: str) -> None:
        async with Bus(url, streams=SMALL) as bus:
            digest, other = [await bus.put_body(name, "public", CARD) for name in ("pricing", "fares")]
            log = Log()
            first = full(log, digest)
            full(log, "", same_as=first.sequence)
            full(log, other, agent="fares")
            log.say("card-refused", "pricing", stage="connect", reason="connect-refused")
            await bus.tell([stored.fact for stored in log.facts])

            async def ask(*words: str, code: int = 0) -> Done:
                done = await asyncio.to_thread(cardtrail, *words, cwd=tmp_path, NATS_URL=url)
                assert done.code == code, done
                return done

            for wrong, said in (("4", "names no card"), ("99", "no such fact")):
                assert said in (await ask("redact", wrong, "--reason", "r", code=2)).err
            assert "--reason" in (await ask("redact", "2", code=2)).err
            told = (await ask("redact", "2", "--reason", "names a person", "--by", "mira", "--json")).json
            assert (told["raw_digest"], [fact["sequence"] for fact in told["facts"]]) == (digest, [5])
            assert await bus.get_body("pricing", "public", digest) is None
            assert await bus.get_body("fares", "public", other) == CARD, "another agent's card is its own"
            stored = await bus.at(5)
            assert stored is not None
            assert stored.fact.data == BodyRedacted(
                agent="pricing", raw_digest=digest, reason="names a person", by="mira"
            )
            gone = (await ask("redact", "3", "--reason", "asked to")).out
            assert gone == f"✓ deleted  fares  card {short_digest(other)} of fact 3; fact 6 says so\n"
            assert "already deleted" in (await ask("redact", "1", "--reason", "again")).out
            assert (await bus.info()).last == 6

    with server() as running:
        asyncio.run(run(running.url))


def test_copies_of_the_same_bytes_are_named_with_the_command_that_deletes_each_until_none_is_left(
    tmp_path: Path,
) -> None:
    async def run(url: str) -> None:
        async with Bus(url, streams=SMALL) as bus:
            log, seen = Log(), (("pricing", "public"), ("pricing", "desk"), ("fares", "public"), ("fares", "desk"))
            for name, principal in seen:
                digest = await bus.put_body(name, principal, CARD)
                full(log, digest, agent=name, principal=principal)
            full(log, await bus.put_body("pricing", "desk", CARD + b" "), principal="desk")
            await bus.tell([stored.fact for stored in log.facts])
            await bus.redact_body("fares", "desk", digest)
            command = ["cardtrail", "redact", "1", "--reason", "it is Mira's"]
            for left in (["pricing as desk", "fares"], ["fares"], []):
                done = await asyncio.to_thread(cardtrail, *command[1:], cwd=tmp_path, NATS_URL=url)
                notes = [line.removeprefix("note: ") for line in done.err.splitlines()]
                assert [note.partition(":")[0] for note in notes] == [
                    f"the same bytes are kept of {one}" for one in left
                ]
                command = shlex.split(notes[0].partition(": ")[2]) if notes else []
            assert not any([await bus.get_body(name, principal, digest) for name, principal in seen])

    with server() as running:
        asyncio.run(run(running.url))
