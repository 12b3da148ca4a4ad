"""The SDK's client against the SDK's server, through our door: each call is told as it was, and sent as it would have been."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from a2a.client import Client, ClientCallContext, ClientConfig, ClientFactory
from a2a.helpers.proto_helpers import new_text_message
from a2a.types.a2a_pb2 import GetTaskRequest, Role, SendMessageRequest
from a2a.utils.errors import A2AError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.profile import Extension, Interface, Profile
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.transport import DoorTransport
from cardtrail.services.planner.call import refuses_streaming
from cardtrail.services.planner.interceptor import SKILL, ReportingFactory
from cardtrail.services.planner.values import CurrentProfile
from tests.services.planner.sdk_agent import Agent, problem, sdk_agent

LOCAL = EndpointPolicy(cidrs=("127.0.0.0/8",), cleartext=True)
REQUIRED = "https://ext.example/required"
BINDINGS = pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
Use = Callable[[Client], Awaitable[Any]]


class Notebook:
    """What a planner is to the interceptor: it knows a profile and takes calls."""

    def __init__(self, profile: Profile | None = None, *, degraded: bool = False) -> None:
        self.calls: list[tuple[str, str, Call]] = []
        self.degraded = degraded
        self._profile = profile

    def profile(self, agent: str) -> CurrentProfile | None:
        if self._profile is None:
            return None
        return CurrentProfile(
            principal="public", agent=agent, usable=True, profile=self._profile, profile_digest="sha256:p"
        )

    def avoided(self, agent: str) -> frozenset[str]:
        return frozenset({"streaming"} if self.degraded and agent == "pricing" else ())

    def refused(self, agent: str, profile_digest: str, error: ReportedError, *, task: bool) -> bool:
        assert (agent, profile_digest) == ("pricing", "sha256:p" if self._profile else "")
        self.degraded = refuses_streaming(error, task=task)
        return self.degraded

    def report_call(self, agent: str, profile_digest: str, call: Call) -> None:
        self.calls.append((agent, profile_digest, call))


def message(text: str = "hello", **more: Any) -> SendMessageRequest:
    return SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER), **more)


async def sent(client: Client, text: str = "hello", context: ClientCallContext | None = None) -> list[Any]:
    return [event async for event in client.send_message(message(text), context=context)]


def called(  # noqa: PLR0913 — what a call can differ in
    use: Use, binding: str = "JSONRPC", *, streaming: bool = False, profile: Profile | None = None,
    before: Callable[[Agent], None] = lambda _: None, streams: bool = True, degraded: bool = False,
) -> tuple[list[Call], Agent]:  # fmt: skip
    """The calls that were reported when `use` had the client, and the agent that saw them."""

    async def run() -> tuple[list[Call], Agent]:
        note = Notebook(profile, degraded=degraded)
        async with sdk_agent(streams=streams) as agent, Door() as door:
            before(agent)
            async with httpx.AsyncClient(transport=DoorTransport(door, LOCAL)) as http:
                config = ClientConfig(streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding])
                client = ReportingFactory(note, "pricing", config, skill="quote").create(agent.card)
                with contextlib.suppress(A2AError, ValueError):
                    await use(client)
        assert {(one[0], one[1]) for one in note.calls} <= {("pricing", "sha256:p" if profile else "")}
        return [one[2] for one in note.calls], agent

    return asyncio.run(run())


@BINDINGS
def test_a_call_that_went_well_is_counted_with_all_that_is_known_of_it(binding: str) -> None:
    context = ClientCallContext(service_parameters={"A2A-Extensions": "https://e/a,https://e/b"})
    (call,), agent = called(lambda client: sent(client, context=context), binding)
    assert (call.operation, call.binding, call.version, call.skill) == ("SendMessage", binding, "1.0", "quote")
    assert (call.extensions, call.sent_modes) == (("https://e/a", "https://e/b"), ("text/plain",))
    assert (call.error, call.task, call.authenticated) == (None, False, False)
    assert call.latency_ms > 0
    assert agent.seen[0][0]["a2a-version"] == "1.0"


@BINDINGS
def test_a_stream_is_one_call(binding: str) -> None:
    (call,), _ = called(lambda client: sent(client, "work"), binding, streaming=True)
    assert (call.operation, call.error) == ("SendStreamingMessage", None)


@BINDINGS
def test_an_error_of_the_agent_is_told_by_its_name_and_code(binding: str) -> None:
    (call,), _ = called(lambda client: sent(client, "paper"), binding)
    assert call.error is not None
    assert (call.error.name, call.error.code) == ("ContentTypeNotSupportedError", -32005)


@BINDINGS
def test_a_stream_that_is_not_supported_is_told_as_such(binding: str) -> None:
    (call, _), _ = called(sent, binding, streaming=True, streams=False)
    assert call.error is not None
    assert (call.operation, call.error.name, call.error.code) == (
        "SendStreamingMessage", "UnsupportedOperationError", -32004,
    )  # fmt: skip


@BINDINGS
def test_a_stream_that_is_refused_becomes_the_plain_call_and_the_next_one_is_plain_at_once(binding: str) -> None:
    answers: list[Any] = []

    async def use(client: Client) -> None:
        answers.extend([await sent(client, text) for text in ("hello", "work")])

    calls, agent = called(use, binding, streaming=True, streams=False)
    assert [(one.operation, one.error is None) for one in calls] == [
        ("SendStreamingMessage", False), ("SendMessage", True), ("SendMessage", True),
    ]  # fmt: skip
    assert len(agent.seen) == 3
    (first,), (second,) = answers
    assert (first.WhichOneof("payload"), second.WhichOneof("payload")) == ("message", "task")


@BINDINGS
def test_where_the_tracker_wants_streaming_avoided_no_stream_is_asked_for(binding: str) -> None:
    (call,), agent = called(sent, binding, streaming=True, degraded=True)
    assert (call.operation, call.error) == ("SendMessage", None)
    assert len(agent.seen) == 1


def test_about_an_existing_task_a_refusal_is_the_programs_to_see() -> None:
    async def use(client: Client) -> None:
        request = message()
        request.message.task_id = "t-1"
        with pytest.raises(A2AError):
            [_ async for _ in client.send_message(request)]

    calls, _ = called(use, streaming=True, streams=False)
    assert [one.operation for one in calls] == ["SendStreamingMessage"]


EVENT = b'data: {"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"a"}]}}}'
ERROR = b'data: {"jsonrpc":"2.0","id":"1","error":{"code":-32004,"message":"no"}}'


@pytest.mark.parametrize(
    "body", [b"", EVENT + b"\n\n" + ERROR + b"\n\n", b"data: {\n\n"], ids=["empty", "refused in the middle", "broken"]
)
def test_a_stream_that_may_have_been_acted_upon_is_never_sent_again(body: bytes) -> None:
    def before(agent: Agent) -> None:
        agent.instead = Response(body, 200, media_type="text/event-stream")

    calls, agent = called(sent, streaming=True, before=before)
    assert [one.operation for one in calls] == ["SendStreamingMessage"]
    assert len(agent.seen) == 1


@BINDINGS
def test_a_question_about_a_task_is_marked(binding: str) -> None:
    (call,), _ = called(lambda client: client.get_task(GetTaskRequest(id="none")), binding)
    assert call.error is not None
    assert (call.operation, call.task, call.error.name) == ("GetTask", True, "TaskNotFoundError")


RPC_ERROR = {"jsonrpc": "2.0", "id": "1", "error": {"code": -32009, "message": "version"}}
REST_ERROR = {
    "error": {
        "code": 400, "status": "FAILED_PRECONDITION", "message": "version",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "VERSION_NOT_SUPPORTED",
                     "domain": "a2a-protocol.org"}],
    }
}  # fmt: skip


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(("binding", "body"), [("JSONRPC", RPC_ERROR), ("HTTP+JSON", REST_ERROR)])
@pytest.mark.parametrize("status", [400, 500])
def test_an_a2a_error_behind_an_http_status_keeps_its_name(
    binding: str, body: dict[str, Any], status: int, streaming: bool
) -> None:
    def before(agent: Agent) -> None:
        agent.instead = problem(status, body)

    (call,), _ = called(sent, binding, streaming=streaming, before=before)
    assert call.error is not None
    assert (call.error.name, call.error.code, call.error.status) == ("VersionNotSupportedError", -32009, status)


@BINDINGS
@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_a_bare_status_is_told_as_a_status_and_not_as_an_a2a_error(binding: str, status: int) -> None:
    def before(agent: Agent) -> None:
        agent.instead = problem(status, "go away")

    (call,), _ = called(sent, binding, before=before)
    assert call.error is not None
    assert (call.error.name, call.error.status, call.error.local) == ("", status, "")


def test_an_answer_that_is_no_a2a_is_told_as_such() -> None:
    def before(agent: Agent) -> None:
        agent.instead = problem(200, "<html>")

    (call,), _ = called(sent, before=before)
    assert call.error is not None
    assert (call.error.name, call.error.local) == ("", "not-a2a")


def test_a_stream_without_an_event_is_told_as_empty() -> None:
    def before(agent: Agent) -> None:
        agent.instead = Response(b"", 200, media_type="text/event-stream")

    (call,), _ = called(sent, streaming=True, before=before)
    assert call.error is not None
    assert call.error.local == "empty-stream"


def test_a_stream_given_up_before_its_first_event_says_nothing_about_the_agent() -> None:
    asked = asyncio.Event()

    class Silent(Response):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 — ASGI's signature
            asked.set()
            await receive()  # until the program is gone

    def before(agent: Agent) -> None:
        agent.instead = Silent()

    async def use(client: Client) -> None:
        asking = asyncio.create_task(sent(client))
        await asked.wait()
        asking.cancel()
        await asyncio.wait([asking])

    calls, _ = called(use, streaming=True, before=before)
    assert calls == []


def test_nobody_there_is_a_fault_of_the_connection() -> None:
    def before(agent: Agent) -> None:
        for interface in agent.card.supported_interfaces:
            interface.url = "http://127.0.0.1:1/rpc"

    (call,), _ = called(sent, before=before)
    assert call.error is not None
    assert call.error.local == "connect"


def test_a_call_can_say_what_it_is_meant_for_and_that_it_carries_a_credential() -> None:
    context = ClientCallContext(state={SKILL: "book"}, service_parameters={"X-API-Key": "k"})

    async def use(client: Client) -> None:
        await sent(client, context=context)

    (call,), agent = called(use)
    assert (call.skill, call.authenticated) == ("book", True)
    assert call.error is not None, "our door sends no secret to a host that was not named for it"
    assert agent.seen == []


def of(agent: Agent, **members: Any) -> Profile:
    first = agent.card.supported_interfaces[0]
    interface = Interface(
        url=first.url, binding=first.protocol_binding, version="1.0", tenant=members.pop("tenant", None)
    )
    return Profile(usable=True, interface=interface, **members)


def wire(profile_of: Callable[[Agent], Profile] | None, request: SendMessageRequest) -> tuple[dict[str, str], Any]:
    """What leaves: with our factory where a profile is given, else with the SDK's own."""

    async def run() -> tuple[dict[str, str], Any]:
        async with (
            sdk_agent() as agent,
            Door() as door,
            httpx.AsyncClient(transport=DoorTransport(door, LOCAL)) as http,
        ):
            config = ClientConfig(streaming=False, httpx_client=http)
            factory = (
                ReportingFactory(Notebook(profile_of(agent)), "pricing", config)
                if profile_of
                else ClientFactory(config)
            )
            [_ async for _ in factory.create(agent.card).send_message(request)]
            headers, body = agent.seen[0]
            return {k: v for k, v in headers.items() if k not in {"host", "content-length"}}, json.loads(body)

    headers, body = asyncio.run(run())
    body.pop("id")
    return headers, body


def test_what_is_sent_is_what_the_sdk_alone_would_have_sent() -> None:
    request = message()
    alone = wire(None, request)
    optional = (Extension(uri="https://e/optional", known=True), Extension(uri="https://e/unknown", required=True))
    assert wire(lambda agent: of(agent, extensions=optional), request) == alone


def test_required_extensions_and_the_tenant_are_added_and_nothing_else() -> None:
    request = message()
    headers, body = wire(None, request)
    needed = (Extension(uri=REQUIRED, known=True, required=True),)
    assert wire(lambda agent: of(agent, extensions=needed, tenant="acme"), request) == (
        headers | {"a2a-extensions": REQUIRED},
        body | {"params": {**body["params"], "tenant": "acme"}},
    )


def test_a_tenant_that_the_caller_has_set_stays() -> None:
    _, body = wire(lambda agent: of(agent, tenant="acme"), message(tenant="mine"))
    assert body["params"]["tenant"] == "mine"
