"""An honest agent: the a2a-sdk's own server, unchanged, on a real socket, with an executor that quotes a price.

with SdkAgent() as agent:
    agent.port, agent.ran
"""

import asyncio
import socket
from typing import Any, Self

import uvicorn
from a2a.helpers import new_data_part, new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events.event_queue import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette

from tests.streams import Uvicorn

SKILL = "itinerary-pricing"


def card(base: str, *, streaming: bool = True, binding: str = "JSONRPC", version: str = "3.2.0") -> dict[str, Any]:
    """The card that the agent serves at `base`, as JSON."""
    path = "/rpc" if binding == "JSONRPC" else "/rest"
    return {
        "name": "Partner Pricing",
        "description": "Quotes itineraries.",
        "version": version,
        "supportedInterfaces": [{"url": f"{base}{path}", "protocolBinding": binding, "protocolVersion": "1.0"}],
        "capabilities": {"streaming": streaming},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": SKILL, "name": "Price", "description": "Prices an itinerary.", "tags": ["fares"]}],
    }


class Quoting(AgentExecutor):
    """Works for `pause_s` seconds, then answers with one JSON part; `ran` counts the messages that were acted on."""

    def __init__(self, pause_s: float) -> None:
        self.pause_s, self.ran = pause_s, 0

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.ran += 1
        assert context.message is not None
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await asyncio.sleep(self.pause_s)
        await updater.add_artifact([new_data_part({"total": "412.50"}, media_type="application/json")])
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        await updater.cancel()


class SdkAgent:
    """The server in a thread, in cleartext on loopback (a proxy with TLS stands before it); a context manager."""

    def __init__(self, base: str = "", *, streaming: bool = True, pause_s: float = 0.0) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._executor = Quoting(pause_s)
        base = base or f"http://127.0.0.1:{self.port}"
        claimed = ParseDict(card(base, streaming=streaming), a2a_pb2.AgentCard())
        handler = DefaultRequestHandler(self._executor, InMemoryTaskStore(), claimed)
        routes = [
            *create_agent_card_routes(claimed),
            *create_jsonrpc_routes(handler, "/rpc"),
            *create_rest_routes(handler, path_prefix="/rest"),
        ]
        app = Starlette(routes=routes)
        self._server = Uvicorn(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))

    @property
    def ran(self) -> int:
        """How many messages were acted on."""
        return self._executor.ran

    def __enter__(self) -> Self:
        self._server.begin(self._socket)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.end()
        self._socket.close()
