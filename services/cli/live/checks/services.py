"""The services: alive, with the log, nothing parked, nothing waiting on disk.

A quiet log is no silence: folds hear the broker's heartbeat every second.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.checks.gathered import Gathered, Live, failed, ok, warning
from cardtrail.services.cli.live.when import span
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.held_back import held_back
from cardtrail.services.seal_files import SEALER
from cardtrail.services.settings import Settings
from cardtrail.services.web.whereabouts import PORT

_SILENT_S = 30.0
_FACTS, _WAITS_S = 1_000, 30.0
_FREE = "free it, it is tried again by itself; or another [web] port in the settings, and restart the tracker"
_MEND = "mend what it names, in NATS or on its disk: it is tried again by itself, others go on"

_ALARMED = {
    "observer": "look at what its planners report; limits.report_facts is the bound",
    "fetcher": "a rule of the door, a network or a provider changed: tell the provider; cardtrail agents says whose cards",
    "projector": "cardtrail verify-log names what differs; then restart the projector",
}
"""What to do about an alarm, by the service that raised it."""


def checks(found: Gathered) -> Iterator[Check]:
    """One answer a service, and one more for each thing that is wrong with it."""
    if found.live is None:
        return
    for name, health in found.live.health.items():
        if health is None:
            yield from silent(name, health, starting=found.live.starting)
            continue
        problems = [*_folds(name, health, found.live), *_outbox(name, health), *_alarms(name, health)]
        if name == "projector":
            problems += _unsealed(health, found.settings, found.live)
        yield from problems or [ok(name, f"alive, {counted(len(health['folds']), 'fold')} with the log")]


def troubles(name: str, health: Mapping[str, Any] | None, *, starting: bool = False) -> Iterator[Check]:
    """What keeps a service from its work, in short: as `silent`, or it holds facts back."""
    yield from silent(name, health, starting=starting)
    if said := held_back(health["folds"] if health else {}):
        yield failed(name, said, f"cardtrail doctor says why; {_again(name)}")


def silent(name: str, health: Mapping[str, Any] | None, *, starting: bool = False) -> Iterator[Check]:
    """It does not answer, or a fold of it fails or stands still."""
    if health is None and starting:
        yield failed(name, "does not answer yet: the tracker is starting", "wait until cardtrail up says that it is up")
        return
    if health is None:
        yield failed(name, "does not answer", f"cardtrail run {name}, and look at its log")
        return
    for fold, seen in health["folds"].items():
        if seen.get("failing") and fold == PORT:
            yield failed(name, f"no page is served ({seen['failing']})", _FREE)
        elif seen.get("failing"):
            said = f"{fold} cannot be kept ({seen['failing']}): what it shows is behind"
            yield failed(name, said, _MEND)
        elif seen["silent_s"] >= _SILENT_S:
            said = f"{fold} has stood still for {span(seen['silent_s'])}"
            yield failed(name, said, f"restart it: its position is kept, nothing is lost ({name})")


def _folds(name: str, health: Mapping[str, Any], live: Live) -> Iterator[Check]:
    if health.get("waits") and not any(seen.get("failing") for seen in health["folds"].values()):
        said = "is not at work: another instance of it has its place, or had it a moment ago and stands still"
        yield warning(name, said, "it goes on within a minute; where it does not, end the instance that stands still")
        return
    yield from silent(name, health)
    for fold, seen in health["folds"].items():
        if seen.get("failing") or seen["silent_s"] >= _SILENT_S:
            continue
        follows_facts = seen["follows"] == "facts"
        behind = live.log.end - seen["position"] if follows_facts else seen["pending"]
        waits_s = live.waits.get(seen["position"], 0.0) if follows_facts else 0.0
        if behind > _FACTS or (behind > 0 and waits_s >= _WAITS_S):
            said = f"{fold} is {behind:,} facts behind ({span(waits_s)}; budget {_FACTS:,})"
            yield failed(name, said, "wait, it reads on; where it does not shrink, restart the service")
        if seen["parked"]:
            yield _parked(name, fold, seen["parked"], live)


def _parked(name: str, fold: str, count: int, live: Live) -> Check:
    first = next(iter(live.parked.get(fold, ())), None)
    why = f": fact {first['sequence']}, {first['reason']} ({first['detail']})" if first else ""
    said = f"{fold} holds {counted(count, 'fact')} back{why}"
    return failed(name, said, _again(name))


def _again(name: str) -> str:
    return f"upgrade {name}, or once the cause is mended: cardtrail replay --parked"


def _unsealed(health: Mapping[str, Any], settings: Settings, live: Live) -> Iterator[Check]:
    """A key is set and nobody signs with it, nor says why: an imported log is another's, and an alarm says why."""
    expected = settings.seal.key is not None and not live.log.imported and not health.get("waits")
    if expected and SEALER not in health["folds"] and not health.get("alarms"):
        said = "[seal] key is set, and nothing is sealed: the tracker was started before it was"
        yield warning("projector", said, "restart the tracker: it reads its settings when it starts")


def _outbox(name: str, health: Mapping[str, Any]) -> Iterator[Check]:
    if not health["connected"]:
        yield failed(name, "has lost the broker", "look at the network between them")
    if health.get("refused"):
        said = f"{counted(health['refused'], 'fact')} refused by the broker for ever or lost to damage, set aside"
        yield failed(name, said, f"read outbox.refused.jsonl in {name}'s folder")
    if health.get("waiting"):
        yield warning(
            name, f"{counted(health['waiting'], 'fact')} wait on disk for the broker", "they follow by themselves"
        )


def _alarms(name: str, health: Mapping[str, Any]) -> Iterator[Check]:
    for alarm in health.get("alarms", ()):
        yield warning(name, alarm, _ALARMED.get(name, "see the log of this service"))
