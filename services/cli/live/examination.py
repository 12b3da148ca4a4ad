"""The tracker looked over for `doctor`: everything is asked and read here, nothing is judged and nothing is changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.services.bus.accounts import PLANNER_BUCKETS
from cardtrail.services.bus.kv_crowd import Crowd, crowd_of
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.reachable import shown_url
from cardtrail.services.bus.streams import Sizes, examined
from cardtrail.services.cli.live.checks import CHECKS
from cardtrail.services.cli.live.checks.gathered import Gathered, Live
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.ends import expiries, problems
from cardtrail.services.cli.live.filesystem import shared_by_network
from cardtrail.services.cli.live.held import held
from cardtrail.services.cli.live.stand_ins import routes_now
from cardtrail.services.cli.live.standing import lock_rows
from cardtrail.services.cli.live.tracker import Tracker, here, on_tracker, url_of
from cardtrail.services.cli.outputs.doctor import Check, DoctorOutput
from cardtrail.services.cli.shell.release import release
from cardtrail.services.data_folder import is_audited
from cardtrail.services.service import AUDITING, HEALTH, SERVICES
from cardtrail.services.system import is_starting

_ANSWERS_S = 3.0
_ORDER = ("failed", "warning", "ok")
Health = Mapping[str, Any]


def examine(config: Path | None) -> DoctorOutput:
    """Every check, worst first.

    Raises:
        ConfigInvalid: the settings cannot be read.
    """
    settings = load_settings(config)
    live, away = None, None
    try:
        live = on_tracker(config, _live)
    except Unreachable as error:
        away = error
    found = Gathered(
        here(), settings, problems(settings), expiries(settings), away, live, shared_by_network(settings.broker.data)
    )
    every = sorted((check for look in CHECKS for check in look(found)), key=lambda check: _ORDER.index(check.level))
    return DoctorOutput(
        format="cardtrail.doctor/1",
        at=instant(found.now),
        release=release(),
        broker=shown_url(url_of(settings)),
        failed=_count(every, "failed"),
        warnings=_count(every, "warning"),
        checks=tuple(every),
    )


async def _live(tracker: Tracker) -> Live:
    before = tracker.now()
    log = await tracker.bus.info()
    skew_s = (log.at - (before + (tracker.now() - before) / 2)).total_seconds()
    services = AUDITING if is_audited(tracker.settings.broker.data) else SERVICES
    starting = await is_starting(tracker.bus)  # before they are asked: afterwards they may have come
    health = {name: await _health(tracker, name) for name in services}
    folds = {fold: seen for told in health.values() if told for fold, seen in told["folds"].items()}
    known = await directory(tracker.bus)
    due, _ = await read_table(tracker.bus, "dispatch", "all", "due")
    policy = known.told.policy.policy if known.told.policy else Policy()
    return Live(
        log=log,
        skew_s=skew_s,
        differences=await examined(tracker.bus.connection.js, Sizes()),
        health=health,
        known=known,
        locks=(await lock_rows(tracker.bus, known))[0],
        parked={fold: list((await held(tracker.bus, fold)).values()) for fold, seen in folds.items() if seen["parked"]},
        due=due,
        waits={seen["position"]: await _waits_s(tracker, seen["position"], log.end) for seen in folds.values()},
        staleness_s=policy.staleness_s,
        crowds=await _crowds(tracker, known),
        starting=starting,
        routes=await routes_now(tracker.bus, known.principals()),
    )


async def _crowds(tracker: Tracker, known: Directory) -> tuple[Crowd, ...]:
    asked = [(name, principal) for principal in known.principals() for name in PLANNER_BUCKETS]
    found = [await crowd_of(tracker.bus.connection, name, principal) for name, principal in asked]
    return tuple(one for one in found if one is not None)


async def _health(tracker: Tracker, service: str) -> Health | None:
    try:
        return await ask(tracker.bus, f"{HEALTH}.{service}", {}, within_s=_ANSWERS_S)
    except CardtrailError:
        return None


async def _waits_s(tracker: Tracker, position: int, last: int) -> float:
    if position >= last:
        return 0.0
    first = await tracker.bus.raw(position + 1)
    return max((tracker.now() - first[1]).total_seconds(), 0.0) if first else 0.0


def _count(checks: list[Check], level: str) -> int:
    return sum(check.level == level for check in checks)
