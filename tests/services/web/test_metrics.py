"""One scrape for all: what each process counts itself under its names, what stands, and nothing that breaks the format."""

from prometheus_client.parser import text_string_to_metric_families

from cardtrail.services.web.asked import Asked
from cardtrail.services.web.known import Known
from cardtrail.services.web.metrics import exposition
from cardtrail.services.web.views.fleet import fleet
from tests.services.web.scene import NOW

OWN = '# HELP x_total What.\n# TYPE x_total counter\nx_total{handler="compiler"} 3.0\n'
FOLD = {"position": 7, "pending": 1, "parked": 0, "told": 2, "silent_s": 0.5}


def samples(processes: list[dict[str, str]], principal: str = "public") -> dict[tuple[str, frozenset[str]], float]:
    """(name, values of the labels) → value, read by Prometheus' own parser; a family that stands twice is refused."""
    told = {"compiler": {"alive": True, "folds": {"compiler": FOLD}}, "decider": {"alive": False, "folds": {}}}
    shown = fleet(Known(principal), Asked("/"), NOW)
    families = list(text_string_to_metric_families(exposition(told, None, [shown], processes).decode()))
    assert len({family.name for family in families}) == len(families)
    return {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_processes_of_one_service_stand_beside_each_other_in_one_family() -> None:
    processes = [{"service": "fetcher", "process": f"host:{number}", "text": OWN} for number in (1, 2)]
    found = samples(processes)
    assert found["x_total", frozenset({"compiler", "fetcher", "host:1"})] == 3
    assert found["x_total", frozenset({"compiler", "fetcher", "host:2"})] == 3


def test_health_folds_and_a_log_that_is_away_are_gauges() -> None:
    found = samples([])
    assert found["cardtrail_service_up", frozenset({"compiler"})] == 1
    assert found["cardtrail_service_up", frozenset({"decider"})] == 0
    assert found["cardtrail_fold_position", frozenset({"compiler"})] == 7
    assert found["cardtrail_log_up", frozenset()] == 0


def test_a_name_with_quotes_and_line_ends_breaks_no_line() -> None:
    name = 'a"b\\c\nx_total 9'
    assert ("cardtrail_locks", frozenset({name, "breaking"})) in samples([], name)
