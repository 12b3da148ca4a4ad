"""A real broker with accounts, buckets as the projector keeps them, and planners under the account that a planner has."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cardtrail.events.model.profile import Profile
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.accounts import User
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.planner import Login, Planner, Update
from cardtrail.services.planner.values import RouteCandidate
from tests.nats_server import SMALL, Server
from tests.services.planner.routes import SKILL, TRIP, row
from tests.streams import PATIENCE_S

PRINCIPAL = "team a"
USERS = (
    User(name="services", password="s"),
    User(name="ours", password="o", role="planner", principal=PRINCIPAL, workflows=(TRIP,)),
    User(name="theirs", password="t", role="planner", principal="team-b", workflows=(TRIP,)),
)
OURS = Login(user="ours", password="o")


class Stage:
    """What the tracker's side does: routes and profiles change."""

    def __init__(self, server: Server, bus: Bus) -> None:
        self.server, self.bus = server, bus
        self._stores: dict[str, tuple[KvStore, Rows]] = {}
        self.through = 0

    def planner(self, **settings: Any) -> Planner:
        given = {"principal": PRINCIPAL, "login": OURS, "patience_s": PATIENCE_S} | settings
        return Planner(self.server.url, TRIP, **given)

    async def route(self, *candidates: RouteCandidate, skill: str = SKILL, **members: Any) -> None:
        made = row(*candidates, skill=skill, principal=PRINCIPAL, **members)
        await self._put("routes", (PRINCIPAL, members.get("workflow", TRIP), skill), made)

    async def withdraw(self, skill: str = SKILL) -> None:
        await self._put("routes", (PRINCIPAL, TRIP, skill), None)

    async def profile(self, agent: str, profile: Profile, digest: str = "sha256:1") -> None:
        made = {"principal": PRINCIPAL, "agent": agent, "usable": profile.usable, "profile_digest": digest}
        await self._put("current_profile", (PRINCIPAL, agent), made | {"profile": profile.model_dump(mode="json")})

    async def dies(self) -> None:
        """kill -9 of the broker, noticed on our side."""
        gone = asyncio.Event()
        forget = self.bus.connection.on_back(gone.set)
        self.server.kill()
        await gone.wait()
        forget()

    async def revives(self) -> None:
        self.server.revive()
        await self.bus.connection.connected.wait()

    async def buckets(self) -> None:
        for projection in ("routes", "current_profile"):
            await self._store(projection)

    async def _put(self, projection: str, key: tuple[str, ...], value: dict[str, Any] | None) -> None:
        store, rows = await self._store(projection)
        self.through += 1
        if value is None:
            rows.delete(projection, key)
        else:
            rows.put(projection, key, value)
        await store.commit(rows, self.through)

    async def _store(self, projection: str) -> tuple[KvStore, Rows]:
        if projection not in self._stores:
            store = KvStore(self.bus, projection, PRINCIPAL)
            rows, _ = await store.load()
            self._stores[projection] = (store, rows)
        return self._stores[projection]


@asynccontextmanager
async def stage(*, buckets: bool = True) -> AsyncIterator[Stage]:
    """A server with accounts, and our side of it."""
    with tempfile.TemporaryDirectory() as directory, Server(Path(directory), users=USERS) as server:
        url = server.url.replace("//", "//services:s@")
        async with Bus(url, streams=SMALL) as bus:
            held = Stage(server, bus)
            if buckets:
                await held.buckets()
            yield held


async def upto(updates: AsyncIterator[Update], kind: str) -> list[Update]:
    """Updates up to and with the first of this kind."""
    found = []
    async for update in updates:
        found.append(update)
        if update.kind == kind:
            return found
    raise AssertionError("updates never end")
