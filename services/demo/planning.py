"""A planner's own call in the evidence story: planned by profile, sent through the door, refused, and made plain instead."""

from time import monotonic
from typing import Any

from cardtrail.events.errors import Unreachable
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.report import ReportedError
from cardtrail.services.demo import cards, travel
from cardtrail.services.demo.stage import Stage
from cardtrail.services.outbound.call import Call, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.planner import Planner
from cardtrail.services.planner.call import CallPlan, CallRefused
from cardtrail.services.wire.answer import WireAnswer, read_bytes

_HERE = EndpointPolicy(cidrs=("127.0.0.0/8",))
_MESSAGE: dict[str, Any] = {
    "messageId": "trip-7-leg-2",
    "role": "ROLE_USER",
    "parts": [{"data": {"from": "OSL", "to": "LIS"}, "mediaType": "application/json"}],
}


async def refused_call(stage: Stage) -> str:
    """What the planner did, in a line: the stream that was refused, the plain call instead; both are reported.

    Raises:
        Unreachable: `agent-unreachable`, the story is not played as it is written.
    """
    told = stage.settings
    door = Door(told.limits, told.tls, resolver=static_names(told.hosts))
    async with door, Planner(stage.system.url, travel.WORKFLOW) as planner:
        plan = planner.plan(cards.SKILL, _MESSAGE, stream=True)
        answer, taken_ms = await _sent(door, plan)
        if isinstance(plan, CallRefused) or answer.error is None:
            raise Unreachable("agent-unreachable", "the agent streams, or may not be called")
        refusal = ReportedError(name=answer.error.name, code=answer.error.code, status=answer.status)
        plain = planner.fall_back(plan, refusal, latency_ms=taken_ms)
        if plain is None:
            raise Unreachable("agent-unreachable", f"{refusal.name} is no refusal to stream")
        answer, taken_ms = await _sent(door, plain)
        planner.report(plain, latency_ms=taken_ms)
        await planner.flush()
    return f"{plan.operation}  {refusal.name}; {plain.operation} instead: {answer.kind}; both reported"


async def _sent(door: Door, plan: CallPlan | CallRefused) -> tuple[WireAnswer, float]:
    if isinstance(plan, CallRefused):
        raise Unreachable("agent-unreachable", plan.detail)
    started, request = monotonic(), plan.request
    call = Call(request.url, _HERE, method="POST", headers=request.headers, body=request.body, accepts=())
    async with door.open(call) as opened:
        if isinstance(opened, Refusal):
            raise Unreachable("agent-unreachable", opened.detail)
        body = b"".join([chunk async for chunk in opened.chunks()])
        answer = read_bytes(plan.interface.binding, opened.status, opened.media_type, body)
    return answer, (monotonic() - started) * 1000
