"""Questions between services, outside the log: request and answer as JSON, bounded in time and size."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NoAnswer

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.events.fact import dump
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerUnreachable

log = logging.getLogger("cardtrail.bus")
_SILENCE = (NoRespondersError, NoAnswer, TimeoutError)
_NOBODY, _REPEAT_S, _GRACE_S = "503", 15.0, 3.0
_SECONDS_S = 0.2
Answering = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


async def ask(bus: Bus, subject: str, question: dict[str, Any], *, within_s: float = 5.0) -> dict[str, Any]:
    """One question; its answer.

    Raises:
        Unreachable: `service-unreachable`, nobody answers. CardtrailError: what the other side refused, with its code.
    """
    with _asking(bus, subject):
        said = await bus.connection.nc.request(subject, dump(question), timeout=within_s)
    return _read(said)


@contextlib.contextmanager
def _asking(bus: Bus, subject: str) -> Iterator[None]:
    """Silence is the service's own while the connection stands, and never the broker's: who is told so looks at the right end."""
    try:
        with foreign():
            yield
    except BrokerUnreachable as silent:
        if not isinstance(silent.__cause__, _SILENCE) or not bus.connection.connected.is_set():
            raise
        service = subject.rpartition(".")[2]
        hint = "cardtrail doctor says which services answer"
        raise Unreachable("service-unreachable", f"{service} does not answer", hint=hint) from silent


async def ask_patiently(
    bus: Bus, subject: str, question: dict[str, Any], *, within_s: float, repeat_s: float = _REPEAT_S
) -> dict[str, Any]:
    """One question that takes long to answer, said again while it waits: a lost question or answer costs a repeat, no more.

    Raises:
        As `ask`: nobody is there (at once, also when whoever was at work on it has gone), or no answer `within_s` seconds.
    """
    answers: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = bus.connection.nc.new_inbox()
    end = await bus.connection.listen_directly(inbox, answers.put_nowait)
    try:
        with _asking(bus, subject):
            async with asyncio.timeout(within_s):
                return _read(await _first(bus, subject, dump(question), inbox, answers, repeat_s))
    finally:
        with contextlib.suppress(Unreachable), foreign():
            await end()


async def _first(  # noqa: PLR0913, PLR0917 — what is asked, and where the answer comes
    bus: Bus, subject: str, question: bytes, inbox: str, answers: "asyncio.Queue[Msg]", repeat_s: float
) -> Msg:
    while True:
        await bus.connection.nc.publish(subject, question, reply=inbox)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(repeat_s):
                said = await answers.get()
                if (said.headers or {}).get("Status") == _NOBODY:
                    raise NoRespondersError
                return said


def _read(said: Msg) -> dict[str, Any]:
    answer = json.loads(said.data)
    if isinstance(answer.get("error"), dict):
        error = answer["error"]
        raise CardtrailError(str(error.get("code")), str(error.get("message")), hint=str(error.get("hint") or ""))
    return dict(answer)


async def ask_all(bus: Bus, prefix: str, services: tuple[str, ...], *, within_s: float = 2.0) -> list[dict[str, Any]]:
    """What every process of these services answers under `<prefix>.<service>`, several of one, too, as `service` in it says.

    Who says nothing for so long is left out. Whoever is asked learns that all are (`all`), so that none gives way to another.
    """
    found: list[dict[str, Any]] = []
    missing, more = set(services), asyncio.Event()

    def take(message: Msg) -> None:
        with contextlib.suppress(ValueError):
            told = json.loads(message.data)
            if isinstance(told, dict) and "service" in told:
                found.append(told)
                missing.discard(told["service"])
                more.set()

    inbox = bus.connection.nc.new_inbox()
    end = await bus.connection.listen_directly(inbox, take)
    try:
        with foreign(), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                for service in services:
                    await bus.connection.nc.publish(f"{prefix}.{service}", dump({"all": True}), reply=inbox)
                while missing:
                    more.clear()
                    await more.wait()
                await asyncio.sleep(_SECONDS_S)  # who runs beside the first answers at the same time
    finally:
        with contextlib.suppress(CardtrailError), foreign():
            await end()
    return sorted(found, key=lambda one: (one["service"], one.get("process", "")))


def together(answering: Answering) -> Answering:
    """For a question without members whose answer takes long: who asks while one is made shares the next with all others.

    However often it is asked, at most one answer is being made and one is waiting; each is begun after it was asked for.
    """
    turn = asyncio.Lock()
    waiting: list[asyncio.Task[dict[str, Any]]] = []

    async def next_one(question: dict[str, Any]) -> dict[str, Any]:
        async with turn:
            waiting.clear()
            return await answering(question)

    async def shared(question: dict[str, Any]) -> dict[str, Any]:
        if not waiting:
            waiting.append(asyncio.ensure_future(next_one(question)))
        return await asyncio.shield(waiting[0])

    return shared


async def answer(bus: Bus, subject: str, answering: Answering, stop: asyncio.Event) -> None:
    """Answer every question on `subject` until `stop`, several at once; an error of ours is an answer, too.

    At the end what is being answered has a few seconds more.
    """
    under_way: set[asyncio.Task[None]] = set()

    def take(message: Msg) -> None:
        task = asyncio.ensure_future(_answered(message, answering))
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    end = await bus.connection.listen_directly(subject, take)
    await stop.wait()
    if under_way:
        _, late = await asyncio.wait(under_way, timeout=_GRACE_S)
        for task in late:
            task.cancel()
    try:
        with foreign():
            await end()
    except Unreachable as away:
        log.debug("%s: %s", subject, away)


async def _answered(message: Msg, answering: Answering) -> None:
    question = _question(message.data)
    if question is None:  # nobody of ours asks so
        log.debug("what came on %s is no question", message.subject)
        return
    try:
        said = await answering(question)
    except CardtrailError as error:
        said = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
    except Exception:
        log.exception("a question on %s could not be answered", message.subject)
        said = {"error": {"code": "internal", "message": "the service could not answer", "hint": "see its log"}}
    if message.reply:
        with foreign():
            await message.respond(dump(said))


def _question(data: bytes) -> dict[str, Any] | None:
    try:
        question = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return None
    return question if isinstance(question, dict) else None
