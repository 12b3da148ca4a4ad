"""What `doctor` says: each check fires on its trouble and is silent where all is well."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import AgentTracked, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import Unreachable
from cardtrail.events.model.lockfile import Candidate
from cardtrail.services.bus.bus import LogInfo
from cardtrail.services.bus.kv_crowd import Crowd
from cardtrail.services.bus.streams import Difference
from cardtrail.services.cli.live.checks import CHECKS
from cardtrail.services.cli.live.checks.gathered import Gathered, Live
from cardtrail.services.cli.live.directory import Directory
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.declared import Declared
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.settings import Settings
from tests.projections.facts import LOCK, lock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
RECENT, OLD = "2026-11-30T11:59:00Z", "2026-11-20T00:00:00Z"
FOLD = {"position": 100, "pending": 0, "parked": 0, "told": 0, "follows": "facts", "silent_s": 0.4}
HEALTH = {"service": "projector", "folds": {"routes/public": FOLD}, "connected": True, "waiting": 0, "refused": 0}
INFO = LogInfo(first=1, last=100, end=100, facts=100, bytes=10, max_bytes=1_000, at=NOW)
FINDING = {"rule": "agent-version-changed", "fingerprint": "5d7e02b19c44" + "0" * 52, "acknowledged": None}


def directory(freshness: dict[str, Any], *, watched: bool = True) -> Directory:
    agents = {
        (name, "public"): AgentTracked(agent=name, target=Target(kind="domain", value=f"{name}.example"))
        for name in freshness
    }
    pin = LockfilePinned(agent="pricing", workflow="trip", lockfile=lock(), lock_digest=LOCK)
    told = Declared(None, agents, dict.fromkeys(agents, not watched), {("trip", "pricing", "public"): pin})
    return Directory(told, {("public", name): row for name, row in freshness.items()})


def heard(at: str = RECENT, trouble: str = "") -> dict[str, Any]:
    return {"last_success": at, "trouble": {"kind": trouble} if trouble else None, "location": ""}


def live(**changes: Any) -> Live:
    row = {"workflow": "trip", "agent": "pricing", "verdict": "compatible", "since": OLD, "findings": [FINDING]}
    held = Live(
        log=INFO,
        skew_s=0.1,
        differences=(),
        health={"projector": HEALTH},
        known=directory({"pricing": heard()}),
        locks={("public", "trip", "pricing"): row},
        parked={},
        due={("pricing", "public"): {"due": RECENT}},
        waits={},
        staleness_s=172_800,
    )
    return replace(held, **changes)


def found(tracker: Live | None, **changes: Any) -> list[Check]:
    held = Gathered(NOW, Settings(), (), {}, None, tracker)
    return [check for look in CHECKS for check in look(replace(held, **changes))]


def worse(tracker: Live | None, **changes: Any) -> list[tuple[str, str]]:
    return [(check.name, check.level) for check in found(tracker, **changes) if check.level != "ok"]


def health(**changes: Any) -> dict[str, Any]:
    return {"projector": {**HEALTH, "folds": {"routes/public": {**FOLD, **changes}}}}


def finding(until: str) -> dict[Any, Any]:
    row = live().locks[("public", "trip", "pricing")]
    accepted = {**FINDING, "acknowledged": {"by": "mira", "reason": "r", "at": OLD, "until": until}}
    return {("public", "trip", "pricing"): {**row, "findings": [accepted]}}


def pending(since: str) -> dict[Any, Any]:
    row = live().locks[("public", "trip", "pricing")]
    return {("public", "trip", "pricing"): {**row, "verdict": "pending", "since": since}}


def unproven() -> dict[Any, Any]:
    row = live().locks[("public", "trip", "pricing")]
    return {("public", "trip", "pricing"): {**row, "findings": [{**FINDING, "rule": "claim-unverified"}]}}


def test_a_tracker_that_is_well_has_nothing_but_checks_that_passed() -> None:
    checks = found(live())
    assert {check.level for check in checks} == {"ok"}
    assert all(check.fix == "" for check in checks)
    assert {check.name for check in checks} >= {
        "settings",
        "broker",
        "streams",
        "room",
        "clock",
        "projector",
        "agents",
        "locks",
    }


MAX_AGE = Difference(stream="CARDTRAIL_FACTS", setting="max_age", wanted="unset", live="30 d")
MISSING = Difference(stream="CARDTRAIL_BODIES", setting="stream", wanted="there", live="missing")
BEHIND = health(position=100 - 50)
CROWD = Crowd(stream="KV_routes_public", principal="public", consumers=3, most=1_000)
CROWDED = CROWD.model_copy(update={"consumers": 300, "names": ("flood… (100 of 100)",), "since": RECENT})
FULL = CROWDED.model_copy(update={"consumers": 1_000})
UNLIMITED = Difference(stream="KV_routes_public", setting="consumer_limits", wanted="60 s", live="unset")
FIRING: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "a silent service": ({"health": {"projector": None}}, [("projector", "failed")]),
    "a fold that stands still": ({"health": health(silent_s=45.0)}, [("projector", "failed")]),
    "a bucket that cannot be kept": ({"health": health(failing="broker-refused")}, [("projector", "failed")]),
    "facts held back": ({"health": health(parked=2)}, [("projector", "failed")]),
    "a fold far behind": (
        {"health": health(position=100), "log": INFO.model_copy(update={"last": 8_512, "end": 8_512})},
        [("projector", "failed")],
    ),
    "a fold that waits": ({"health": BEHIND, "waits": {50: 720.0}}, [("projector", "failed")]),
    "one that waits for its place": (
        {"health": {"projector": {**HEALTH, "folds": {"routes/public": {**FOLD, "position": 0}}, "waits": True}}},
        [("projector", "warning")],
    ),
    "one that waits because its disk is full": (
        {"health": {"projector": {**health(failing="the broker could not write")["projector"], "waits": True}}},
        [("projector", "failed")],
    ),
    "a lost broker": ({"health": {"projector": {**HEALTH, "connected": False}}}, [("projector", "failed")]),
    "facts refused": ({"health": {"projector": {**HEALTH, "refused": 1}}}, [("projector", "failed")]),
    "a log that is sealed no more": (
        {"health": {"projector": {**HEALTH, "alarms": ["nothing is sealed any more: seal-broken"]}}},
        [("projector", "warning")],
    ),
    "facts waiting": ({"health": {"projector": {**HEALTH, "waiting": 7}}}, [("projector", "warning")]),
    "an age limit": ({"differences": (MAX_AGE,)}, [("streams", "warning")]),
    "a bucket with many consumers": ({"crowds": (CROWDED,)}, [("buckets", "warning")]),
    "a bucket without room for one more": ({"crowds": (FULL,)}, [("buckets", "failed")]),
    "a bucket that keeps what nobody uses": (
        {"crowds": (CROWD.model_copy(update={"differences": (UNLIMITED,)}),)},
        [("buckets", "warning")],
    ),
    "a missing stream": ({"differences": (MISSING,)}, [("streams", "failed")]),
    "80 percent": ({"log": INFO.model_copy(update={"bytes": 800})}, [("room", "warning")]),
    "95 percent": ({"log": INFO.model_copy(update={"bytes": 950})}, [("room", "failed")]),
    "no limit": ({"log": INFO.model_copy(update={"max_bytes": -1})}, [("room", "warning")]),
    "a clock that is off": ({"skew_s": -3.0}, [("clock", "warning")]),
    "a clock that is far off": ({"skew_s": 60.0}, [("clock", "failed")]),
    "a stale agent": ({"known": directory({"pricing": heard(OLD)})}, [("agents", "warning")]),
    "an unreachable agent": ({"known": directory({"pricing": heard(OLD, "unreachable")})}, [("agents", "warning")]),
    "nobody in reach": (
        {"known": directory({name: heard(OLD, "unreachable") for name in ("pricing", "fares", "rail")})},
        [("agents", "failed")],
    ),
    "a late look": ({"due": {("pricing", "public"): {"due": OLD}}}, [("schedule", "failed")]),
    "a lock on nobody": ({"known": directory({"pricing": heard()}, watched=False)}, [("locks", "warning")]),
    "an undecided lock": ({"locks": pending(OLD)}, [("locks", "warning")]),
    "evidence that grew old": ({"locks": unproven()}, [("locks", "warning")]),
    "an acceptance that ends": ({"locks": finding("2026-12-01T12:00:00Z")}, [("locks", "warning")]),
}
SILENT: dict[str, dict[str, Any]] = {
    "a quiet log": {"health": health(silent_s=2.0)},
    "a fold a little behind": {"health": BEHIND, "waits": {50: 0.5}},
    "a bucket with some consumers": {"crowds": (CROWD.model_copy(update={"consumers": 240}),)},
    "a smaller share": {"log": INFO.model_copy(update={"bytes": 790})},
    "a clock nearly right": {"skew_s": 1.5},
    "a lock just pinned": {"locks": pending(RECENT)},
    "an acceptance that stands": {"locks": finding("2026-12-31T12:00:00Z")},
    "an acceptance that is over": {"locks": finding("2026-11-01T12:00:00Z")},
}


@pytest.mark.parametrize("case", FIRING)
def test_trouble_is_named_with_a_fix(case: str) -> None:
    changes, expected = FIRING[case]
    assert worse(live(**changes)) == expected
    assert all(check.fix for check in found(live(**changes)) if check.level != "ok")


def test_a_key_that_nobody_signs_with_since_the_tracker_was_started_before_is_named_and_only_that() -> None:
    keyed = Settings(seal=SealSettings(key=Path("seal.key")))
    (check,) = [one for one in found(live(), settings=keyed) if one.level != "ok"]
    assert (check.name, check.level) == ("projector", "warning")
    assert "restart the tracker" in check.fix
    signing = {"projector": {**HEALTH, "folds": {"seal": FOLD}}}
    assert worse(live(health=signing), settings=keyed) == []
    assert worse(live(log=INFO.model_copy(update={"imported": "incident.tar.gz"})), settings=keyed) == []
    assert worse(live()) == []


@pytest.mark.parametrize("case", SILENT)
def test_what_is_no_trouble_is_not_named(case: str) -> None:
    assert worse(live(**SILENT[case])) == []


def test_the_reason_of_a_fact_held_back_is_shown() -> None:
    parked = {"routes/public": [{"sequence": 17, "reason": "unknown-version", "detail": "card-fetched.v9"}]}
    (check,) = [one for one in found(live(health=health(parked=1), parked=parked)) if one.level == "failed"]
    assert "fact 17, unknown-version (card-fetched.v9)" in check.says


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (timedelta(days=-1), [("expiry", "failed")]),
        (timedelta(days=7), [("expiry", "warning")]),
        (timedelta(days=90), []),
    ],
)
def test_a_key_is_named_before_it_ends(ends: timedelta, expected: list[tuple[str, str]]) -> None:
    assert worse(live(), expiries={"key a of https://p.example": NOW + ends}) == expected


def test_without_a_broker_the_settings_are_looked_at_all_the_same() -> None:
    away = Unreachable(
        "broker-unreachable", "refused", hint="cardtrail up, or set NATS_URL", file="nats://127.0.0.1:4222"
    )
    checks = found(None, away=away, problems=("keys: k.json is not there",))
    assert [(check.name, check.level) for check in checks[:2]] == [("settings", "failed"), ("broker", "failed")]
    assert checks[1].says == "nats://127.0.0.1:4222: refused"
    silent = found(None, away=Unreachable("broker-unreachable", "nothing came in time"))
    assert "nothing came in time" in [check.says for check in silent]


def test_a_reader_of_another_stream_is_measured_by_what_is_pending_there() -> None:
    assert worse(live(health=health(position=0, follows="reports"))) == []
    assert worse(live(health=health(position=0, follows="reports", pending=5_000))) == [("projector", "failed")]


def test_a_stand_in_that_nobody_watches_is_named() -> None:
    known = directory({"pricing": heard()})
    pin = LockfilePinned(agent="pricing", workflow="trip", lockfile=lock(Candidate(agent="fares")), lock_digest=LOCK)
    known.told.locks[("trip", "pricing", "public")] = pin
    (check,) = [one for one in found(live(known=known)) if one.level != "ok"]
    assert (check.name, check.says) == ("locks", "locks name 1 agent that nobody watches: fares")


def test_a_lock_whose_every_fallback_is_stopped_is_a_warning_and_one_with_somebody_left_is_none() -> None:
    def route(*actions: str) -> dict[str, Any]:
        own = {"agent": "pricing", "verdict": "compatible", "action": "allow", "watched": "", "valid_from": None}
        others = [{**own, "agent": f"other-{place}", "action": action} for place, action in enumerate(actions)]
        candidates = [{**one, "decision": None} for one in (own, *others)]
        return {"principal": "public", "workflow": "trip", "skill": "q", "owner": "", "candidates": candidates}

    assert worse(live(routes=[route("stop", "stop")])) == [("locks", "warning")]
    assert worse(live(routes=[route("stop", "probe")])) == []
    assert worse(live(routes=[route()])) == []


def test_of_a_tracker_that_is_still_starting_nobody_is_told_to_run_its_services() -> None:
    (check,) = [one for one in found(live(health={"decider": None}, starting=True)) if one.level != "ok"]
    assert (check.name, check.level) == ("decider", "failed")
    assert check.says == "does not answer yet: the tracker is starting"
    assert "cardtrail run" not in check.fix
