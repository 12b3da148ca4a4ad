"""OpenTelemetry traces by FastStream's own middleware: one trace from a look through the profile to the decisions.

A fact carries its trace as the NATS headers `traceparent` and `tracestate` (W3C Trace Context; CloudEvents' distributed
tracing extension has the same members), beside its content: ids, digests, replay and bundles never see them. Spans
leave by OTLP only where the `OTEL_*` environment names a collector (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
"""

import asyncio
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from faststream.message import StreamMessage

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.seams import Tracing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
_ENDING_S = 3.0


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the environment asks for traces: a collector is named, or `otlp`, and nothing says no.

    Raises:
        UsageError: `tracing-protocol`, it asks for another way than OTLP over HTTP.
    """
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    named = any(environment.get(name) for name in _ENDPOINTS)
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or exporter not in {"", "otlp"}:
        return False
    if not named and not exporter:
        return False
    for protocol in (environment.get(name) for name in _PROTOCOLS):
        if protocol not in {None, "", "http/protobuf"}:
            raise UsageError(
                "tracing-protocol", f'traces leave by http/protobuf, not by "{protocol}"', hint=_PROTOCOLS[0]
            )
    return True


def exporting(service: str) -> "TracerProvider":
    """A provider whose spans leave by OTLP over HTTP, set up by the OTEL_* environment.

    Raises:
        UsageError: `tracing-missing`, the extra is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 — an extra
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 — same
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 — same
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 — same
    except ImportError as missing:
        hint = "pip install 'cardtrail[otel]', or unset OTEL_EXPORTER_OTLP_ENDPOINT"
        raise UsageError(
            "tracing-missing", f"traces are asked for, and {missing.name} is not installed", hint=hint
        ) from missing
    resource = Resource.create({"service.name": f"cardtrail-{service}", "service.namespace": "cardtrail"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


async def ended(provider: "TracerProvider") -> None:
    """Hand over the last spans; a collector that is away holds up the end of a process for three seconds at most."""
    ending = threading.Thread(target=provider.shutdown, daemon=True)
    ending.start()
    await asyncio.to_thread(ending.join, _ENDING_S)


def traces(provider: "TracerProvider") -> Tracing:
    """FastStream's middleware over this provider."""
    from faststream.nats.opentelemetry.provider import NatsTelemetrySettingsProvider  # noqa: PLC0415 — an extra
    from faststream.opentelemetry import TelemetryMiddleware  # noqa: PLC0415 — same
    from opentelemetry import trace  # noqa: PLC0415 — same
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 — same

    class Provider(NatsTelemetrySettingsProvider):
        """Names spans by what handles a message; the subject is an attribute."""

        def get_consume_attrs_from_message(self, msg: Any) -> dict[str, Any]:  # noqa: ANN401 — FastStream's generic message
            first = StreamMessage(msg.raw_message[0], msg.body, correlation_id=msg.correlation_id)
            counted = {"messaging.batch.message_count": len(msg.raw_message)}
            return super().get_consume_attrs_from_message(first) | counted

        def get_consume_destination_name(self, msg: Any) -> str:  # noqa: ANN401 — same
            return str(msg.handler)

    class Traces:
        """See `Tracing`."""

        middleware = TelemetryMiddleware(settings_provider_factory=lambda _: Provider(), tracer_provider=provider)

        def current(self) -> bool:
            return trace.get_current_span().get_span_context().is_valid

        def carried(self) -> dict[str, str]:
            held: dict[str, str] = {}
            TraceContextTextMapPropagator().inject(held)
            return held

    return Traces()
