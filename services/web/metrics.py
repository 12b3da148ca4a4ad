"""Everything that is measured, as Prometheus' text: what services count themselves, and how the tracker stands. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from cardtrail.services.bus.bus import LogInfo
from cardtrail.services.web.views.fleet import Fleet

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_FOLD = {
    "position": "Sequence of the last fact that the fold has committed.",
    "pending": "Facts that wait behind it.",
    "parked": "Facts that it holds back because they cannot be applied.",
    "told": "Facts that it has told since its process began.",
    "silent_s": "Seconds without a sign of life: grows when the fold hangs or is blind, not when all is quiet.",
}
_LOG = {
    "last": "Sequence of the last fact.",
    "facts": "Facts in the log.",
    "bytes": "Bytes that the log takes.",
    "max_bytes": "Bytes that the log may take; below 1 without a limit.",
}
Told = Mapping[str, Mapping[str, Any]]


def exposition(
    told: Told, log: LogInfo | None, fleets: Sequence[Fleet], processes: Iterable[Mapping[str, Any]]
) -> bytes:
    """The text of one scrape: health by service, the log where it answers, every principal's fleet, each process's own."""
    registry = CollectorRegistry()
    registry.register(_Once([*_services(told), *_log(log), *_fleets(fleets), *_merged(processes)]))
    return generate_latest(registry)


class _Once(Collector):
    """What was measured for one scrape."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _services(told: Told) -> Iterator[Metric]:
    up = GaugeMetricFamily(
        "cardtrail_service_up", "1 where a service answers and no fold is silent.", labels=["service"]
    )
    for service, one in told.items():
        up.add_metric([service], int(one["alive"]))
    yield up
    for name, help_text in _FOLD.items():
        family = GaugeMetricFamily(f"cardtrail_fold_{name}", help_text, labels=["service", "fold"])
        for service, one in told.items():
            for fold, seen in one["folds"].items():
                family.add_metric([service, fold], seen[name])
        yield family


def _log(log: LogInfo | None) -> Iterator[Metric]:
    yield GaugeMetricFamily("cardtrail_log_up", "1 where the log can be asked.", value=int(log is not None))
    if log is not None:
        for name, help_text in _LOG.items():
            yield GaugeMetricFamily(f"cardtrail_log_{name}", help_text, value=getattr(log, name))


def _fleets(fleets: Sequence[Fleet]) -> Iterator[Metric]:
    locks = GaugeMetricFamily("cardtrail_locks", "Locks by the verdict that stands.", labels=["principal", "verdict"])
    agents = GaugeMetricFamily("cardtrail_agents", "Agents by how they were heard.", labels=["principal", "heard"])
    for one in fleets:
        for verdict, count in one.verdicts.items():
            locks.add_metric([one.principal, verdict], count)
        for stands, count in one.heard.items():
            agents.add_metric([one.principal, stands], count)
    yield from (locks, agents)


def _merged(processes: Iterable[Mapping[str, Any]]) -> list[Metric]:
    """The same family of several processes as one, each sample with the names of its service and process."""
    found: dict[str, Metric] = {}
    for one in processes:
        for family in text_string_to_metric_families(one["text"]):
            held = found.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            for sample in family.samples:
                labels = {**sample.labels, "service": one["service"], "process": one["process"]}
                held.add_sample(sample.name, labels, sample.value)
    return list(found.values())
