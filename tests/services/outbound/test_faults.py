"""Every exception of the transport has a stage, a reason and a fault of its own."""

import ssl

import h11
import httpcore
import httpx
import pytest

from cardtrail.services.outbound.call import Call
from cardtrail.services.outbound.faults import FAULTS, refused
from tests.agent_host import AgentHost, Reply
from tests.services.outbound.doors import HERE, door, refusal

RAISED = sorted(
    (
        thing
        for name in httpcore.__all__
        if isinstance(thing := getattr(httpcore, name), type) and issubclass(thing, Exception)
    ),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", RAISED)
def test_every_exception_of_the_transport_is_mapped_by_name(kind: type[Exception]) -> None:
    assert kind in FAULTS
    assert refused(kind("x")).refusal.reason == FAULTS[kind][1] != "unexpected-error"


def test_httpx_would_raise_nothing_that_has_no_counterpart_here() -> None:
    kinds = [kind for kind in httpx.TransportError.__subclasses__() if kind.__module__.split(".")[0] == "httpx"]
    transport = {kind.__name__ for kind in kinds}
    assert transport <= {kind.__name__ for kind in FAULTS}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TimeoutError(), "total-timeout"),
        (ConnectionResetError(), "connection-lost"),
        (BrokenPipeError(), "connection-lost"),
        (ssl.SSLError("bad record"), "tls-failed"),
        (ssl.SSLWantReadError(), "tls-failed"),
        (httpcore.RemoteProtocolError(h11.RemoteProtocolError("too long", error_status_hint=431)), "headers-too-large"),
        (httpcore.RemoteProtocolError(), "protocol-broken"),
        (ValueError("odd"), "unexpected-error"),
        (RecursionError(), "unexpected-error"),
    ],
)
def test_an_error_below_the_transport_has_a_reason_too(error: Exception, reason: str) -> None:
    assert refused(error).refusal.reason == reason


def test_bytes_that_the_transport_quotes_are_told_as_a_text(host: AgentHost) -> None:
    host.serve("/", Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n", ends="close"))
    found = refusal(door(host), Call(host.url("/"), HERE))
    assert (found.reason, found.detail) == ("protocol-broken", "illegal status line: 'SSH-2.0-OpenSSH_9.6'")


@pytest.mark.parametrize("kind", [TimeoutError, httpcore.ReadError, httpcore.ConnectTimeout, ConnectionResetError])
def test_an_exception_without_words_is_told_in_ours(kind: type[Exception]) -> None:
    assert len(refused(kind()).refusal.detail.split()) > 3


def test_a_timeout_that_interrupts_a_handshake_is_a_timeout() -> None:
    timeout = httpcore.ConnectTimeout()
    timeout.__context__ = ssl.SSLWantReadError()
    assert refused(timeout).refusal.reason == "connect-timeout"
