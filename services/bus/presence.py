"""Whether the owner of a place lives: each answers under its own name, for as long as its connection stands.

One that was killed is gone at once, since the broker says that nobody is there; one that stands still does not answer.
"""

import contextlib

import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerUnreachable

_SUBJECT = "cardtrail.owner"
_ANSWERS_S = 5.0
"""A batch may keep a process from answering for a moment; longer it stands still."""


class Presence:
    """The sign of one owner, a name that nobody else has."""

    def __init__(self, connection: Connection, owner: str) -> None:
        """Nobody hears of it before `begin`."""
        self._connection, self._owner = connection, owner
        self._answering: Subscription | None = None

    async def begin(self) -> None:
        """Answer from now on, also over reconnections; once is enough."""
        if self._answering is None:
            self._answering = await self._connection.nc.subscribe(f"{_SUBJECT}.{self._owner}", cb=_answer)

    async def end(self) -> None:
        """Answer no more."""
        answering, self._answering = self._answering, None
        if answering is not None:
            with contextlib.suppress(BrokerUnreachable), foreign():
                await answering.unsubscribe()

    async def of(self, owner: str) -> bool:
        """Whether another owner answers. nats-py's errors other than silence pass through, for the caller to translate."""
        try:
            await self._connection.nc.request(f"{_SUBJECT}.{owner}", b"", timeout=_ANSWERS_S)
        except (nats.errors.NoRespondersError, nats.errors.TimeoutError):
            return False
        return True


async def _answer(question: Msg) -> None:
    with contextlib.suppress(BrokerUnreachable), foreign():
        await question.respond(b"")
