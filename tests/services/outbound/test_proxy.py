"""A proxy is used where the operator names one, and only then; whom TLS believes is the operator's word too."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.call import Call
from cardtrail.services.outbound.client import Door
from cardtrail.services.settings import TlsSettings
from tests.agent_host import AgentHost
from tests.services.outbound.doors import HERE, answer, door, listening, refusal
from tests.streams import PATIENCE_S, ended, serve, stopped

CARD = "/.well-known/agent-card.json"


def test_the_environments_proxy_sees_no_byte(host: AgentHost, monkeypatch: pytest.MonkeyPatch) -> None:
    host.serve(CARD, {})
    with listening() as (port, heard):
        for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        assert answer(door(host), Call(host.url(), HERE)).status == 200
        assert heard == []


def test_a_named_proxy_owns_resolution_and_is_asked_to_connect(
    host: AgentHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody(_name: str) -> tuple[str, ...]:
        raise AssertionError("the proxy resolves")

    with listening(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") as (port, heard):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        for setting in (f"http://user:secret@127.0.0.1:{port}", "env"):
            found = refusal(Door(None, TlsSettings(proxy=setting), resolver=nobody), Call("https://agent.example/"))
            assert (found.reason, found.fault) == ("proxy-refused", "ours")
            assert "secret" not in repr(found)
            assert heard.pop(0).startswith(b"CONNECT agent.example:443 HTTP/1.1\r\n")
        assert refusal(Door(None, TlsSettings(proxy="env")), Call("https://10.0.0.1/")).reason == "private"


@contextmanager
def tunnelling(to: int) -> Iterator[tuple[int, list[bytes]]]:
    """A CONNECT proxy that leads every tunnel to one local port and notes what it was asked for."""
    asked: list[bytes] = []
    ready, stop = threading.Event(), threading.Event()
    ports: list[int] = []
    tunnels: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with ended(writer):
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", to)
            async with ended(far_writer):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer), return_exceptions=True)

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serve(tunnels, writer, tunnel(reader, writer))

    async def run() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        await asyncio.to_thread(stop.wait)
        await stopped(server, tunnels)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield ports[0], asked
    finally:
        stop.set()
        thread.join(PATIENCE_S)


def test_a_named_proxy_carries_tls_end_to_end(host: AgentHost) -> None:
    host.serve(CARD, {"name": "a"})
    with tunnelling(host.port) as (port, asked):
        tls = TlsSettings(ca_bundle=host.ca_file, only=True, proxy=f"http://127.0.0.1:{port}")
        found = answer(Door(None, tls), Call(host.url(), EndpointPolicy()))
        assert (found.body, found.address) == (b'{"name": "a"}', "")
        assert asked[0].startswith(f"CONNECT agent.example:{host.port} ".encode())
        assert host.seen[0].sni == "agent.example"


def test_a_proxy_that_was_asked_for_and_is_missing_is_never_gone_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    found = refusal(Door(None, TlsSettings(proxy="env")), Call("https://agent.example/"))
    assert (found.reason, found.fault) == ("proxy-missing", "ours")


def test_a_proxy_or_a_bundle_that_cannot_be_used_is_a_usage_error(host: AgentHost) -> None:
    for proxy in ("socks://x", "http://[", "nonsense"):
        with pytest.raises(UsageError, match="no http or https URL"):
            Door(None, TlsSettings(proxy=proxy))
    broken = host.ca_file.with_name("broken.pem")
    broken.write_text("nothing")
    with pytest.raises(UsageError, match="CA bundle"):
        Door(None, TlsSettings(ca_bundle=broken))
