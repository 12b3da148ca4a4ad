"""An agent made with the SDK's own server, on a real port: it answers, streams, fails and refuses as its message says."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import uvicorn
from a2a.helpers.proto_helpers import get_message_text, new_task_from_user_message, new_text_message
from a2a.server.agent_execution.agent_executor import AgentExecutor
from a2a.server.agent_execution.context import RequestContext
from a2a.server.events.event_queue_v2 import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks.inmemory_task_store import InMemoryTaskStore
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Role,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)  # fmt: skip
from a2a.utils.errors import ContentTypeNotSupportedError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.streams import Uvicorn


class Answering(AgentExecutor):
    """`hello` is answered with a message, `work` with a task, `paper` refused by its media type."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        text = get_message_text(context.message)
        if text == "paper":
            raise ContentTypeNotSupportedError("no paper")
        if text != "work":
            await event_queue.enqueue_event(new_text_message("well", role=Role.ROLE_AGENT))
            return
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        status = TaskStatus(state=TaskState.TASK_STATE_COMPLETED)
        done = TaskStatusUpdateEvent(task_id=task.id, context_id=task.context_id, status=status)
        await event_queue.enqueue_event(done)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


@dataclass
class Agent:
    """Its card, the headers and bodies that it saw, and what it answers instead (by path) while a test says so."""

    card: AgentCard
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    instead: Response | None = None


class _Seeing:
    def __init__(self, app: ASGIApp, agent: Agent) -> None:
        self._app, self._agent = app, agent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        self._agent.seen.append((dict(request.headers), body))
        if self._agent.instead is not None:
            await self._agent.instead(scope, receive, send)
            return
        given = iter(({"type": "http.request", "body": body, "more_body": False},))

        async def again() -> dict[str, object]:
            return next(given, None) or dict(await receive())

        await self._app(scope, again, send)


def card(*, streaming: bool = True) -> AgentCard:
    return AgentCard(
        name="Pricing", description="d", version="1.0.0",
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="quote", name="q", description="d", tags=["t"])],
    )  # fmt: skip


@contextlib.asynccontextmanager
async def sdk_agent(*, streams: bool = True) -> AsyncIterator[Agent]:
    """An agent whose card claims streaming; `streams` False = its server does not, and says so when asked."""
    handler = DefaultRequestHandler(Answering(), InMemoryTaskStore(), card(streaming=streams))
    app = Starlette(routes=[*create_jsonrpc_routes(handler, "/rpc"), *create_rest_routes(handler, path_prefix="/rest")])
    agent = Agent(card())
    config = uvicorn.Config(
        _Seeing(app, agent), host="127.0.0.1", port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1
    )
    server = Uvicorn(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 — uvicorn sets a flag, no event
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    for binding, path in (("JSONRPC", "/rpc"), ("HTTP+JSON", "/rest")):
        agent.card.supported_interfaces.append(
            AgentInterface(url=f"http://127.0.0.1:{port}{path}", protocol_binding=binding, protocol_version="1.0")
        )
    try:
        yield agent
    finally:
        server.should_exit = True
        await serving


def problem(status: int, body: object) -> Response:
    """An answer in the agent's place."""
    return JSONResponse(body, status) if isinstance(body, dict) else PlainTextResponse(str(body), status)
