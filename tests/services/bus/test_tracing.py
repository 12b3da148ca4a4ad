"""Spans leave by OTLP when the environment names a collector, and not otherwise; one that is away holds up nobody for long."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.tracing import ended, exporting, wanted
from tests.streams import PATIENCE_S

COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """An OTLP/HTTP collector: its URL, and what was posted to which path."""
    posted: list[tuple[str, bytes]] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        (COLLECTOR, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        (COLLECTOR | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (COLLECTOR | {"OTEL_SDK_DISABLED": "true"}, False),
        (COLLECTOR | {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True),
    ],
)
def test_the_environment_alone_asks_for_traces(environment: dict[str, str], expected: bool) -> None:
    assert wanted(environment) is expected


def test_a_protocol_that_is_not_spoken_is_said() -> None:
    with pytest.raises(UsageError) as raised:
        wanted(COLLECTOR | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
    assert raised.value.code == "tracing-protocol"


def test_spans_reach_a_collector_under_the_name_of_their_service(
    collector: tuple[str, list[tuple[str, bytes]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, posted = collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    provider = exporting("compiler")
    with provider.get_tracer("test").start_as_current_span("a look"):
        pass
    asyncio.run(ended(provider))
    ((path, body),) = posted
    (told,) = ExportTraceServiceRequest.FromString(body).resource_spans
    named = {one.key: one.value.string_value for one in told.resource.attributes}
    assert (path, named["service.name"]) == ("/v1/traces", "cardtrail-compiler")
    assert [span.name for scope in told.scope_spans for span in scope.spans] == ["a look"]


def test_a_collector_that_never_answers_holds_up_the_end_for_seconds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    others = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "600")
        provider = exporting("compiler")
        with provider.get_tracer("test").start_as_current_span("a look"):
            pass
        before = time.monotonic()
        asyncio.run(ended(provider))
        assert time.monotonic() - before < PATIENCE_S
        waiting = set(threading.enumerate()) - others
        assert waiting, "nobody waits for the collector any more"
        connection, _ = silent.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            for thread in waiting:
                thread.join(PATIENCE_S)
