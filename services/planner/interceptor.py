"""The a2a-sdk's client (1.3), with every call counted and every failure reported.

One line, where a program has `ClientFactory(config).create(card)`:

    client = ReportingFactory(planner, "pricing", config).create(card)

It sits at the transport, not at the SDK's `ClientCallInterceptor`: that one's `after` is not called for a call that fails,
which is what a report is about. `ClientFactory.register` is public, sees every transport that the SDK makes, and is where
this one puts itself around each of them, as the SDK's own tenant decorator does.

What is sent is changed in three cases: extensions that the agent requires and we know are added to `A2A-Extensions` where they
are missing; the tenant of the interface is added where the request has none; a stream becomes the plain call where the tracker
wants streaming avoided, or where the agent has refused it, so that nothing was acted upon. The program sees one event then.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from a2a.client import ClientCallContext, ClientConfig, ClientFactory
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.client.transports.base import ClientTransport
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]  # protobuf ships no types

from cardtrail.events.fact import instant
from cardtrail.events.model.report import ReportedError
from cardtrail.services.planner.sdk_call import SECRETS, Told, demanded, read_call
from cardtrail.services.planner.sdk_errors import read_exception

SKILL = "cardtrail.skill"
"""In a call context's `state`: the skill the call is meant for, which no A2A request can say."""
_EMPTY = ReportedError(local="empty-stream", message="the stream ended without an event")
Make = Callable[[pb.AgentCard, str, ClientConfig], ClientTransport]
Context = ClientCallContext | None
Request = Any
"""Any of the SDK's request messages."""
Answer = TypeVar("Answer")
Stream = Callable[..., AsyncGenerator[pb.StreamResponse]]


class ReportingFactory(ClientFactory):
    """The SDK's factory for clients of one agent, which tell `planner` how each call went.

    `agent` is Cardtrail's name of it, `skill` what its calls are meant for unless a call says otherwise (`SKILL`).
    """

    def __init__(
        self, planner: Told, agent: str, config: ClientConfig | None = None, *, skill: str | None = None
    ) -> None:
        """As the SDK's, with whom to tell first."""
        self._watched = partial(ReportingTransport, planner, agent, skill)
        super().__init__(config)

    def register(self, label: str, generator: Make) -> None:
        """Put ourselves around the transport that `generator` makes."""

        def make(card: pb.AgentCard, url: str, config: ClientConfig) -> ClientTransport:
            authenticated = _carries_secret(config)
            return self._watched(generator(card, url, config), binding=label, url=url, authenticated=authenticated)

        super().register(label, make)


class ReportingTransport(ClientTransport):
    """One transport of the SDK; each method of it is a call that is timed and told."""

    def __init__(  # noqa: PLR0913 — whom to tell, and what is known of the transport before any call
        self,
        planner: Told,
        agent: str,
        skill: str | None,
        inner: ClientTransport,
        *,
        binding: str,
        url: str,
        authenticated: bool,
    ) -> None:
        """Send nothing yet."""
        self._planner, self._agent, self._skill, self._inner = planner, agent, skill, inner
        self._binding, self._url, self._authenticated = binding, url, authenticated
        self._version = "0.3" if type(inner).__module__.startswith("a2a.compat.v0_3") else "1.0"

    async def send_message(self, request: pb.SendMessageRequest, *, context: Context = None) -> pb.SendMessageResponse:
        """SendMessage."""
        return await self._call("SendMessage", self._inner.send_message, request, context)

    async def send_message_streaming(
        self, request: pb.SendMessageRequest, *, context: Context = None
    ) -> AsyncGenerator[pb.StreamResponse]:
        """SendStreamingMessage; the plain call where the tracker wants streaming avoided, or the agent refuses to stream."""
        begun = False
        if "streaming" not in self._planner.avoided(self._agent):
            send = self._inner.send_message_streaming
            try:
                async for event in self._stream("SendStreamingMessage", send, request, context):
                    begun = True
                    yield event
            except Exception as error:
                if begun or not self._refused(request, error):
                    raise
            else:
                return
        answer = await self.send_message(request, context=context)
        # The SDK's own client makes one event of a plain answer, too.
        held = {name: getattr(answer, name) for name in ("task", "message") if answer.HasField(name)}
        yield pb.StreamResponse(**held)

    async def get_task(self, request: pb.GetTaskRequest, *, context: Context = None) -> pb.Task:
        """GetTask."""
        return await self._call("GetTask", self._inner.get_task, request, context)

    async def list_tasks(self, request: pb.ListTasksRequest, *, context: Context = None) -> pb.ListTasksResponse:
        """ListTasks."""
        return await self._call("ListTasks", self._inner.list_tasks, request, context)

    async def cancel_task(self, request: pb.CancelTaskRequest, *, context: Context = None) -> pb.Task:
        """CancelTask."""
        return await self._call("CancelTask", self._inner.cancel_task, request, context)

    async def create_task_push_notification_config(
        self, request: pb.TaskPushNotificationConfig, *, context: Context = None
    ) -> pb.TaskPushNotificationConfig:
        """CreateTaskPushNotificationConfig."""
        send = self._inner.create_task_push_notification_config
        return await self._call("CreateTaskPushNotificationConfig", send, request, context)

    async def get_task_push_notification_config(
        self, request: pb.GetTaskPushNotificationConfigRequest, *, context: Context = None
    ) -> pb.TaskPushNotificationConfig:
        """GetTaskPushNotificationConfig."""
        send = self._inner.get_task_push_notification_config
        return await self._call("GetTaskPushNotificationConfig", send, request, context)

    async def list_task_push_notification_configs(
        self, request: pb.ListTaskPushNotificationConfigsRequest, *, context: Context = None
    ) -> pb.ListTaskPushNotificationConfigsResponse:
        """ListTaskPushNotificationConfigs."""
        send = self._inner.list_task_push_notification_configs
        return await self._call("ListTaskPushNotificationConfigs", send, request, context)

    async def delete_task_push_notification_config(
        self, request: pb.DeleteTaskPushNotificationConfigRequest, *, context: Context = None
    ) -> None:
        """DeleteTaskPushNotificationConfig."""
        send = self._inner.delete_task_push_notification_config
        await self._call("DeleteTaskPushNotificationConfig", send, request, context)

    async def subscribe(
        self, request: pb.SubscribeToTaskRequest, *, context: Context = None
    ) -> AsyncGenerator[pb.StreamResponse]:
        """SubscribeToTask."""
        async for event in self._stream("SubscribeToTask", self._inner.subscribe, request, context):
            yield event

    async def get_extended_agent_card(
        self, request: pb.GetExtendedAgentCardRequest, *, context: Context = None
    ) -> pb.AgentCard:
        """GetExtendedAgentCard."""
        return await self._call("GetExtendedAgentCard", self._inner.get_extended_agent_card, request, context)

    async def close(self) -> None:
        """Close the SDK's transport."""
        await self._inner.close()

    async def _call(
        self, operation: str, send: Callable[..., Awaitable[Answer]], request: Request, context: Context
    ) -> Answer:
        context = self._added(request, context)
        started = monotonic()
        try:
            answer = await send(request, context=context)
        except Exception as error:
            self._tell(operation, request, context, monotonic() - started, read_exception(error))
            raise
        self._tell(operation, request, context, monotonic() - started, None)
        return answer

    async def _stream(
        self,
        operation: str,
        send: Stream,
        request: Request,
        context: Context,
    ) -> AsyncGenerator[pb.StreamResponse]:
        """The events as they come; told at the end of the stream, with the time to its first event."""
        context = self._added(request, context)
        started, first, ended = monotonic(), 0.0, False
        failure: ReportedError | None = _EMPTY
        try:
            async for event in send(request, context=context):
                first, failure = first or monotonic() - started, None
                yield event
            ended = True
        except Exception as error:
            failure, ended = read_exception(error), True
            raise
        finally:
            # A program that gives up before the first event has learned nothing about the agent.
            if ended or failure is None:
                self._tell(operation, request, context, first or monotonic() - started, failure)

    def _refused(self, request: pb.SendMessageRequest, error: Exception) -> bool:
        held, task = self._planner.profile(self._agent), bool(request.message.task_id)
        return self._planner.refused(self._agent, held.profile_digest if held else "", read_exception(error), task=task)

    def _added(self, request: Request, context: Context) -> Context:
        """The context with what the profile demands; the request's tenant where it demands one."""
        held = self._planner.profile(self._agent)
        if held is None:
            return context
        tenant, needed = demanded(held.profile, self._url)
        if tenant and not request.tenant:
            request.tenant = tenant
        if not needed:
            return context
        context = context or ClientCallContext()
        merged = ServiceParametersFactory.create_from(context.service_parameters, [with_a2a_extensions(needed)])
        return context.model_copy(update={"service_parameters": merged})

    def _tell(
        self,
        operation: str,
        request: Request,
        context: Context,
        taken_s: float,
        error: ReportedError | None,
    ) -> None:
        held = self._planner.profile(self._agent)
        sent = (context.service_parameters if context else None) or {}
        call = read_call(
            operation,
            MessageToDict(request),
            {"A2A-Version": self._version, **sent},
            at=instant(datetime.now(UTC)),
            binding=self._binding,
            skill=(context.state.get(SKILL) if context else None) or self._skill,
        )
        told = {"authenticated": self._authenticated or call.authenticated, "error": error}
        call = call.model_copy(update={**told, "latency_ms": round(taken_s * 1000, 3)})
        self._planner.report_call(self._agent, held.profile_digest if held else "", call)


def _carries_secret(config: ClientConfig) -> bool:
    """Whether the program's HTTP client sends a credential with everything."""
    client = config.httpx_client
    return client is not None and (client.auth is not None or any(name in client.headers for name in SECRETS))
