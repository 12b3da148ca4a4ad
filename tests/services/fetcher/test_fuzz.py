"""Mutated cards through the whole reading, mutated HTTP answers through the door: no escape from the error tree, ever.

Seeded; a few hundred by default. CARDTRAIL_FUZZ=full runs 20,000 cards and 5,000 answers.
"""

import asyncio
import os
from collections import Counter
from contextlib import suppress
from random import Random

from cardtrail.events import CardFetched, CardRefused, Fact, encode, observation_id
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy
from cardtrail.events.upcast import decode
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import identity_digest, profile_digest, texts_digest
from cardtrail.services.card.identify import identify
from cardtrail.services.card.key_store import Anchor, KeyStore
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Examined, Unusable, examine
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import refresh
from cardtrail.services.fetcher.trusted import checks
from cardtrail.services.outbound.call import Answer, Call, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.planner.export import exported, texts_of
from cardtrail.services.planner.filters import Bounds, Candidate, Wanted, filtered
from cardtrail.services.settings import LimitSettings
from tests.services.card.signers import ALL_KEYS, NOW, ORIGIN
from tests.services.fetcher.mutants import answered, mutated
from tests.streams import PATIENCE_S

FULL = os.environ.get("CARDTRAIL_FUZZ") == "full"
CARDS, ANSWERS = (20_000, 5_000) if FULL else (600, 300)
URL = ORIGIN + "/.well-known/agent-card.json"


def test_no_card_escapes_the_reading() -> None:
    chance, ends = Random(20261002), Counter[str]()

    async def nobody(url: str) -> bytes:
        raise AssertionError(f"{url} was asked")

    verifying = checks(KeyStore([Anchor(origin=ORIGIN, keys=ALL_KEYS)]), nobody, lambda: NOW)

    async def run() -> None:
        for _ in range(CARDS):
            data = mutated(chance)
            seen = await examine(data, chance.choice((URL, "")), verifying)
            ends[seen.reason if isinstance(seen, Unusable) else "usable"] += 1
            if isinstance(seen, Examined):
                followed(seen)

    asyncio.run(run())
    assert ends["usable"] > CARDS // 5, "the mutants are not all dead on arrival"
    assert len(ends) > 8, ends


def followed(seen: Examined) -> None:
    """What comes after: profile, identity, digests, fact, filters, the block for a model."""
    profile = compile_profile(seen.card, ClientCapabilities())
    identity = identify(seen.card, seen.verified.summary)
    assert profile_digest(profile).startswith("sha256:")
    assert identity_digest(identity).startswith("sha256:")
    assert texts_digest(seen.card).startswith("sha256:")
    fact = CardFetched(agent="a", raw_digest=seen.raw_digest, findings=seen.findings, signature=seen.verified.summary)
    told = encode(Fact(id=observation_id(0, bytes(10)), source="t", time=NOW, data=fact))
    assert decode(told).data == fact
    assert len(told) < 256 * 1024
    candidate = Candidate(agent="a", profile=profile, location=URL, heard=NOW)
    found = filtered(candidate, Wanted(), Bounds(), NOW)
    assert found.survives is not bool(found.rejections)
    block = exported([texts_of(seen.card, skill) for skill in list(profile.skills)[:3]])
    assert all(line.isprintable() for line in block.split("\n"))


def test_no_answer_escapes_the_door() -> None:
    chance, ends = Random(20261003), Counter[str]()
    answers = [answered(chance) for _ in range(ANSWERS)]
    serving: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        with suppress(OSError, asyncio.IncompleteReadError):  # the door may have had enough before it is answered
            request = await reader.readuntil(b"\r\n\r\n")
            writer.write(answers[int(request.split(b" ", 2)[1].strip(b"/"))])
            writer.write_eof()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        serving.discard(asyncio.current_task())

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        policy = EndpointPolicy(cidrs=("127.0.0.0/8",), cleartext=True)
        async with Door(LimitSettings(per_host=8, fetch_total_s=PATIENCE_S)) as door:
            for start in range(0, ANSWERS, 50):
                urls = [f"http://127.0.0.1:{port}/{n}" for n in range(start, min(start + 50, ANSWERS))]
                found = await asyncio.gather(*(look(url, policy, door) for url in urls))
                ends.update(found)
        server.close()
        await asyncio.gather(*(one for one in serving if one is not None))

    async def look(url: str, policy: EndpointPolicy, door: Door) -> str:
        raw = await door.send(Call(url, policy))
        assert isinstance(raw, Answer | Refusal)
        errand = Errand("a", Target(kind="card-url", value=url), policy=policy)
        outcome = await refresh(errand, Memory(), door.send, checks(KeyStore([]), nothing, lambda: NOW), NOW)
        told = encode(Fact(id=observation_id(0, bytes(10)), source="t", time=NOW, data=outcome.fact))
        assert decode(told).data == outcome.fact
        if isinstance(outcome.fact, CardRefused):
            assert outcome.fact.reason != "unexpected-error", outcome.fact
            return outcome.fact.reason
        return "usable"

    async def nothing(url: str) -> bytes:
        raise CardtrailError("unreachable", url)

    asyncio.run(run())
    assert ends["usable"] > ANSWERS // 20
    assert len(ends) > 10, ends
