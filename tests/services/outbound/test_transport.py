"""httpx through the door: the same safety, httpx's own exceptions, streams as they come, secrets only where they belong."""

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from queue import Queue
from typing import Any

import httpx
import pytest

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.call import Limits
from cardtrail.services.outbound.credentials import StaticCredential
from cardtrail.services.outbound.transport import DoorRefused, DoorTransport
from tests.agent_host import AgentHost, Reply, Seen, endless, redirect
from tests.services.outbound.doors import HERE, door
from tests.streams import PATIENCE_S

Use = Callable[[httpx.AsyncClient], Awaitable[Any]]


def through(host: AgentHost, use: Use, policy: EndpointPolicy = HERE, **settings: Any) -> Any:
    async def run() -> Any:
        async with door(host) as made, httpx.AsyncClient(transport=DoorTransport(made, policy, **settings)) as client:
            return await use(client)

    return asyncio.run(run())


def refusal(host: AgentHost, use: Use, policy: EndpointPolicy = HERE, **settings: Any) -> DoorRefused:
    with pytest.raises(DoorRefused) as raised:
        through(host, use, policy, **settings)
    return raised.value


def echo(seen: Seen) -> Reply:
    return Reply({"method": seen.method, "body": seen.body.decode(), "headers": seen.headers})


def test_a_request_arrives_as_the_program_made_it(host: AgentHost) -> None:
    host.serve("/rpc", echo)

    async def use(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(
            host.url("/rpc"), json={"a": "ü"}, headers={"A2A-Version": "1.0", "User-Agent": "mine"}
        )

    answer = through(host, use)
    told = answer.json()
    assert (answer.status_code, told["method"], json.loads(told["body"])) == (200, "POST", {"a": "ü"})
    assert (told["headers"]["a2a-version"], told["headers"]["user-agent"]) == ("1.0", "mine")
    assert told["headers"]["host"] == f"agent.example:{host.port}"


def test_a_body_that_comes_in_pieces_arrives_whole(host: AgentHost) -> None:
    host.serve("/rpc", echo)

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"one ", b"two ", b"three"):
            yield piece

    async def use(client: httpx.AsyncClient) -> Any:
        return (await client.post(host.url("/rpc"), content=pieces())).json()

    assert through(host, use)["body"] == "one two three"


def test_an_event_stream_is_read_as_it_comes(host: AgentHost) -> None:
    permits: Queue[None] = Queue()

    def events() -> Any:
        for number in range(3):
            permits.get(timeout=PATIENCE_S)  # the next event is not even made before the last one was read
            yield f"data: {number}\n\n".encode()

    host.serve("/rpc", lambda _: Reply(headers={"Content-Type": "text/event-stream"}, chunks=events()))

    async def use(client: httpx.AsyncClient) -> list[str]:
        permits.put(None)
        seen: list[str] = []
        async with client.stream("POST", host.url("/rpc")) as answer:
            async for chunk in answer.aiter_text():
                seen.append(chunk.strip())
                permits.put(None)
        return seen

    assert through(host, use) == ["data: 0", "data: 1", "data: 2"]


def test_a_stream_left_early_gives_its_connection_back(host: AgentHost) -> None:
    host.serve("/rpc", lambda _: Reply(headers={"Content-Type": "text/event-stream"}, chunks=(b"data: x\n\n",) * 9))

    async def use(client: httpx.AsyncClient) -> int:
        for _ in range(20):  # more than the four connections that one host may hold
            async with client.stream("POST", host.url("/rpc")) as answer:
                async for _ in answer.aiter_bytes():
                    break
        return 20

    assert through(host, use) == 20


def test_a_compressed_answer_is_decoded_once(host: AgentHost) -> None:
    host.serve("/card", Reply(gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"}))

    async def use(client: httpx.AsyncClient) -> Any:
        return (await client.get(host.url("/card"))).json()

    assert through(host, use) == {"a": 1}


def test_an_address_that_may_not_be_called_is_not_called(host: AgentHost) -> None:
    error = refusal(host, lambda client: client.get(host.url("/")), EndpointPolicy())
    assert (error.refusal.stage, error.refusal.reason, host.connections) == ("policy", "loopback", 0)
    assert isinstance(error, httpx.RequestError)
    assert not isinstance(error, httpx.TimeoutException)


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "X-API-Key"])
def test_a_secret_goes_only_to_the_hosts_it_is_for(host: AgentHost, name: str) -> None:
    host.serve("/", echo)

    async def use(client: httpx.AsyncClient) -> Any:
        return (await client.get(host.url("/"), headers={name: "s3cret"})).json()

    for hosts in ((), ("trusted.example",), ("agent.example.evil",), ("*.agent.example",)):
        error = refusal(host, use, hosts=hosts)
        assert (error.refusal.reason, host.seen) == ("credential-foreign-host", [])
        assert "s3cret" not in str(error)
    assert through(host, use, hosts=("agent.example",))["headers"][name.lower()] == "s3cret"


def test_a_credential_of_the_door_is_attached_and_not_doubled(host: AgentHost, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardtrail.services.outbound.secret import Secret

    monkeypatch.setenv("PRICING_TOKEN", "t0ken")
    held = StaticCredential("pricing", ("agent.example",), "bearer", Secret("PRICING_TOKEN", None))
    host.serve("/", echo)

    async def bare(client: httpx.AsyncClient) -> Any:
        return (await client.get(host.url("/"))).json()

    async def dressed(client: httpx.AsyncClient) -> Any:
        return await client.get(host.url("/"), headers={"Authorization": "Bearer other"})

    assert through(host, bare, credential=held)["headers"]["authorization"] == "Bearer t0ken"
    assert refusal(host, dressed, credential=held).refusal.reason == "credential-twice"


def test_an_endless_answer_is_cut_and_told_as_such(host: AgentHost) -> None:
    host.serve("/", lambda _: endless())
    error = refusal(host, lambda client: client.get(host.url("/")))
    assert error.refusal.reason == "body-too-large"


def test_silence_is_a_timeout_as_httpx_knows_it(host: AgentHost) -> None:
    host.serve("/", lambda _: Reply(raw=b"HTTP/1.1 200 OK\r\n", ends="hang"))
    error = refusal(host, lambda client: client.get(host.url("/"), timeout=httpx.Timeout(PATIENCE_S, read=0.2)))
    assert isinstance(error, httpx.ReadTimeout)


def test_a_stream_is_bounded_in_time_as_a_whole(host: AgentHost) -> None:
    host.serve("/", lambda _: Reply(chunks=(b"x" for _ in range(1000)), pause_s=0.05))
    error = refusal(host, lambda client: client.get(host.url("/")), limits=Limits(total_s=0.4))
    assert (error.refusal.reason, isinstance(error, httpx.TimeoutException)) == ("total-timeout", True)


def test_nobody_there_is_a_connect_error(host: AgentHost) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"https://agent.example:{taken.getsockname()[1]}/"
        error = refusal(host, lambda client: client.get(url))
    assert isinstance(error, httpx.ConnectError)


def test_redirects_and_other_methods_are_refused(host: AgentHost) -> None:
    host.serve("/", redirect("https://elsewhere.example/"))
    assert refusal(host, lambda client: client.get(host.url("/"))).refusal.reason == "redirect-refused"
    assert refusal(host, lambda client: client.put(host.url("/"))).refusal.reason == "method"


def test_a_request_without_end_is_not_read_to_its_end(host: AgentHost) -> None:
    async def forever() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * (1 << 20)

    error = refusal(host, lambda client: client.post(host.url("/"), content=forever()))
    assert (error.refusal.reason, host.seen) == ("request-too-large", [])
