"""One message to one channel: posted through the door, and what came of it. A channel's URL is a secret and is never told.

Only the status counts: the message is delivered when it was taken, whatever the answer says.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime

from cardtrail.events.fact import dump
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.notifier.message import Message
from cardtrail.services.outbound.call import Call, Limits, Refusal
from cardtrail.services.outbound.exchange import Exchange
from cardtrail.services.outbound.http_time import retry_after_s

Open = Callable[[Call], AbstractAsyncContextManager[Exchange | Refusal]]
_LIMITS = Limits(total_s=15.0, wire_bytes=64 * 1024, body_bytes=64 * 1024)
_LATER = {408, 425, 429}
_OK, _OURS = range(200, 300), 500


@dataclass(frozen=True, slots=True)
class Channel:
    """Where owners are told; `url` may be a secret itself, "" where its variable is not set."""

    name: str
    kind: str
    url: str
    policy: EndpointPolicy


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of it: HTTP status, a problem in kebab-case ("" = taken), whether another attempt may help and after when."""

    status: int = 0
    problem: str = ""
    again: bool = False
    retry_after_s: int | None = None


async def deliver(open_: Open, channel: Channel, message: Message, now: datetime) -> Delivery:
    """Post a message once; raises nothing."""
    if not channel.url:
        return Delivery(problem="channel-unset", again=True)
    headers = {"Content-Type": "application/json", "Idempotency-Key": message.key}
    call = Call(
        channel.url, channel.policy, method="POST", headers=headers, body=dump(message.body), accepts=(), limits=_LIMITS
    )
    async with open_(call) as answer:
        if isinstance(answer, Refusal):
            # Its detail may quote the URL: the reason alone is told.
            return Delivery(answer.status, answer.reason, again=answer.fault == "network")
        if answer.status in _OK:
            return Delivery(answer.status)
        again = answer.status in _LATER or answer.status >= _OURS
        wait = retry_after_s(answer.headers, now)
        return Delivery(answer.status, f"http-{answer.status}", again=again, retry_after_s=wait)
