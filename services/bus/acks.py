"""Acknowledgements of messages under way, matched by reply subject; many at a time.

nats-py's `publish_async` never answers where the broker refuses: reading the refusal raises inside its own callback.
"""

import asyncio
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from pydantic_core import from_json

Answer = dict[str, Any]
NOBODY: Answer = {"error": {"code": 503, "err_code": 0, "description": "no responders"}}


class Acks:
    """One inbox of a connection; nats-py subscribes it anew after each reconnect."""

    def __init__(self) -> None:
        """Subscribes at the first message."""
        self._inbox = ""
        self._sent = 0
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._once = asyncio.Lock()

    async def send(
        self, nc: Client, subject: str, data: bytes, headers: dict[str, str] | None
    ) -> asyncio.Future[Answer]:
        """Publish; the future holds the broker's answer as JSON, cancelled ones are forgotten. Raises as nats-py does."""
        async with self._once:
            if not self._inbox:
                inbox = nc.new_inbox()
                await nc.subscribe(f"{inbox}.*", cb=self._answer)
                self._inbox = inbox
        self._sent += 1
        reply = f"{self._inbox}.{self._sent}"
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[reply] = future
        future.add_done_callback(lambda _: self._waiting.pop(reply, None))
        try:
            await nc.publish(subject, data, reply=reply, headers=headers)
        except BaseException:
            future.cancel()
            raise
        return future

    def lost(self) -> None:
        """The connection is gone, and with it every answer under way: nobody answers."""
        for future in tuple(self._waiting.values()):
            if not future.done():
                future.set_result(NOBODY)

    async def _answer(self, message: Msg) -> None:
        future = self._waiting.get(message.subject)
        if future is None or future.done():
            return
        try:
            answer = from_json(message.data) if message.data else NOBODY
        except ValueError:
            answer = {"error": {"code": 500, "err_code": 0, "description": "the broker's answer is no JSON"}}
        future.set_result(answer)
