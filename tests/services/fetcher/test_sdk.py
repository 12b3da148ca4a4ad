"""Extended cards from the SDK's own server, unchanged: JSON-RPC and HTTP+JSON, with one, without one, and with the flag out."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import a2a_pb2
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette

from cardtrail.events import CardFetched, CardRefused
from cardtrail.events.agent_tracked import Target
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy
from cardtrail.services.card.read import read_card
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import Outcome, refresh
from cardtrail.services.fetcher.replacement import Known, Means, replaced
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.credentials import build
from cardtrail.services.settings import CredentialSettings
from tests.a2a_agent import Quoting
from tests.services.fetcher.principals import findings
from tests.streams import Uvicorn

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
HERE = EndpointPolicy(cidrs=("127.0.0.0/8",), cleartext=True)


def card(port: int, binding: str, *skills: str, flag: bool = True) -> dict[str, Any]:
    path = "/rpc" if binding == "JSONRPC" else "/rest"
    return {
        "name": "Rates",
        "description": "Quotes rates.",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": f"http://127.0.0.1:{port}{path}", "protocolBinding": binding, "protocolVersion": "1.0"}
        ],
        "capabilities": {"extendedAgentCard": flag},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": skill, "name": skill, "description": skill, "tags": ["fx"]} for skill in skills],
    }


@contextmanager
def agent(binding: str, *, extended: tuple[str, ...] = (), flag: bool = True) -> Iterator[int]:
    """The SDK's server with a public card and, where skills are given, an extended one."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        public = ParseDict(card(port, binding, "quote", flag=flag), a2a_pb2.AgentCard())
        more = ParseDict(card(port, binding, *extended), a2a_pb2.AgentCard()) if extended else None
        handler = DefaultRequestHandler(Quoting(0), InMemoryTaskStore(), public, extended_agent_card=more)
        routes = [
            *create_agent_card_routes(public),
            *create_jsonrpc_routes(handler, "/rpc"),
            *create_rest_routes(handler, path_prefix="/rest"),
        ]
        app = Starlette(routes=routes)
        server = Uvicorn(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))
        server.begin(listening)
        try:
            yield port
        finally:
            server.end()


def looked(port: int, folder: Path) -> tuple[Outcome, ...]:
    """One look as a principal, through a real door."""
    (folder / "token").write_text("who-we-are")
    credential = build("c", CredentialSettings(kind="bearer", hosts=("127.0.0.1",), file=folder / "token"))
    target = Target(kind="base-url", value=f"http://127.0.0.1:{port}")
    errand = Errand("rates", target, "mira", HERE, credential, legacy_path=False)

    async def nothing(_digest: str) -> bytes | None:
        return None

    async def run() -> tuple[Outcome, ...]:
        async with Door() as door:
            public = await refresh(errand, Memory(), door.send, Checks(), NOW)
            means = Means(door.send, Checks(), ClientCapabilities(), nothing)
            return await replaced(errand, public, Known(Memory(), Memory()), means, NOW)

    return asyncio.run(run())


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
def test_the_sdks_extended_card_is_had_and_read(binding: str, tmp_path: Path) -> None:
    with agent(binding, extended=("quote", "bulk")) as port:
        public, extended = looked(port, tmp_path)
    assert isinstance(public.fact, CardFetched)
    assert public.fact.aside
    assert isinstance(extended.fact, CardFetched), extended.fact
    assert extended.fact.extended
    read = read_card(extended.body or b"").card
    assert read is not None
    assert [skill.id for skill in read.skills] == ["quote", "bulk"]


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
def test_the_sdk_gives_its_public_card_or_says_that_it_has_none(binding: str, tmp_path: Path) -> None:
    with agent(binding) as port:
        (told,) = looked(port, tmp_path)
    assert not isinstance(told.fact, CardRefused)
    assert findings(told.fact) & {"CT110", "CT111", "CT112"}


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
def test_without_the_flag_the_sdk_is_not_asked(binding: str, tmp_path: Path) -> None:
    with agent(binding, extended=("quote", "bulk"), flag=False) as port:
        (told,) = looked(port, tmp_path)
    assert isinstance(told.fact, CardFetched)
    assert not findings(told.fact)
