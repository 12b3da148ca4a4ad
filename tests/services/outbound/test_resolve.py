"""The system's resolver, asked from threads that nobody has to wait for; what it said is believed while it leads somewhere."""

import asyncio
import subprocess
import sys

from cardtrail.services.outbound.call import Answer, Call, Refusal
from cardtrail.services.outbound.resolve import system_resolver
from tests.agent_host import AgentHost
from tests.services.outbound.doors import HERE, door, send
from tests.streams import PATIENCE_S

_HANGING = """
import asyncio, socket, threading
from cardtrail.services.outbound.call import Call, Limits
from cardtrail.services.outbound.client import Door
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
async def run():
    return await Door().send(Call("https://agent.example/", limits=Limits(connect_s=0.1)))
print(asyncio.run(run()).reason)
"""


def test_a_program_ends_although_a_name_is_still_being_asked_for() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _HANGING], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert ended.stdout.strip() == "resolver-timeout"


def test_more_questions_than_threads_are_all_answered() -> None:
    async def run() -> list[tuple[str, ...]]:
        return await asyncio.gather(*(system_resolver("127.0.0.1") for _ in range(200)))

    assert asyncio.run(run()) == [("127.0.0.1",)] * 200


def test_a_name_whose_address_died_is_asked_for_anew_at_the_next_call() -> None:
    with AgentHost("agent.example", address="127.0.0.2") as host:
        host.serve("/", {"at": 2})
        made = door(host, ("127.0.0.3",), ("127.0.0.2",), judged_s=3600.0)
        first, second = send(made, Call(host.url("/"), HERE), Call(host.url("/"), HERE))
    assert isinstance(first, Refusal)
    assert first.reason == "connect-refused"
    assert isinstance(second, Answer)
    assert second.address == "127.0.0.2"
