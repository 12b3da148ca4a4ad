"""A door that resolves every name to where the test says, and trusts the simulated provider."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.call import Answer, Call, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.settings import LimitSettings, TlsSettings
from tests.agent_host import AgentHost
from tests.streams import PATIENCE_S

HERE = EndpointPolicy(cidrs=("127.0.0.0/8",))


def door(
    host: AgentHost, *answers: tuple[str, ...], limits: LimitSettings | None = None, judged_s: float = 30.0
) -> Door:
    """A door whose resolver gives the answers in turn (the last for ever); without any, the host's own address."""
    left = list(answers or ((host.address,),))

    async def resolver(_name: str) -> tuple[str, ...]:
        return left.pop(0) if len(left) > 1 else left[0]

    return Door(limits, TlsSettings(ca_bundle=host.ca_file, only=True), resolver=resolver, judged_s=judged_s)


def send(made: Door, *calls: Call) -> list[Answer | Refusal]:
    """Send the calls one after the other through a door, and close it."""

    async def run() -> list[Answer | Refusal]:
        async with made as opened:
            return [await opened.send(call) for call in calls]

    return asyncio.run(run())


def refusal(made: Door, call: Call) -> Refusal:
    """The one refusal of the one call."""
    (found,) = send(made, call)
    assert isinstance(found, Refusal), found
    return found


def answer(made: Door, call: Call) -> Answer:
    """The one answer of the one call."""
    (found,) = send(made, call)
    assert isinstance(found, Answer), found
    return found


@contextmanager
def listening(reply: bytes = b"") -> Iterator[tuple[int, list[bytes]]]:
    """A plain TCP listener that notes what it is sent."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    heard.append(connection.recv(4096))
                    connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], heard
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE_S)
