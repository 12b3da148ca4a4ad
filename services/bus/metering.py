"""Prometheus metrics of one process by FastStream's own middleware, and how they are asked for: over the broker.

No service listens on a port: each answers `cardtrail.metrics.<service>` with its metrics in Prometheus' text format, and the
page's `/metrics` puts all of them together (`services/web/metrics.py`).
"""

import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from faststream.nats.prometheus.provider import BaseNatsMetricsSettingsProvider
from faststream.nats.response import NatsPublishCommand
from faststream.prometheus import ConsumeAttrs
from faststream.prometheus.middleware import PrometheusMiddleware
from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics, generate_latest

from cardtrail.services.bus.seams import Handled

METRICS = "cardtrail.metrics"


class _Provider(BaseNatsMetricsSettingsProvider[Any]):
    """Names messages by their handler, and counts each of a batch."""

    def get_consume_attrs_from_message(self, msg: Any) -> ConsumeAttrs:  # noqa: ANN401 — FastStream's generic message
        handled: Handled = msg
        return {
            "destination_name": handled.handler,
            "message_size": handled.size,
            "messages_count": len(handled.raw_message),
        }


class Meters:
    """The metrics of one process; `middleware` is what the seams drive."""

    def __init__(self, service: str) -> None:
        """Counting begins now; memory, processor time and open files of the process are told, too."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library says nothing of it
        self._service, self._registry = service, CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self.middleware: PrometheusMiddleware[Any, NatsPublishCommand] = PrometheusMiddleware(
            settings_provider_factory=lambda _: _Provider(), registry=self._registry, app_name=f"cardtrail-{service}"
        )

    def answering(self) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
        """What answers the question for these metrics."""
        process = process_name()

        async def told(_: dict[str, Any]) -> dict[str, Any]:
            text = generate_latest(self._registry).decode()
            return {"service": self._service, "process": process, "text": text}

        return told


def process_name() -> str:
    """What tells several processes of one service apart: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"
