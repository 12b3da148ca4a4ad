"""What agents turn out to do, on real sockets: tests and calls that hold or contradict a claim, what planners and owners get."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from cardtrail.events import (
    CallsCounted,
    CardFetched,
    ChangeDecided,
    OwnerNotified,
    ProbeRecorded,
    ProbeStarted,
    ProfileCompiled,
    RuntimeErrorObserved,
)
from cardtrail.events.fact import dump
from cardtrail.events.model.report import Report, ReportedError
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.prober.memory import Checks
from cardtrail.services.verdict.lock import write_lock
from tests.a2a_agent import SKILL, SdkAgent
from tests.journeys.evidence import CONTRACT, FARES, HOOKS, PRICING, PROBE, Stage, call, lock_for, stage
from tests.liar_proxy import LiarProxy
from tests.nats_server import server
from tests.services.cli.cards import written
from tests.services.cli.program import Done, child

CHANNEL = """
[channels.team]
url_env = "TEAM_HOOK"
networks = ["127.0.0.0/8"]
"""
SECRET = "xoxb-very-secret"
Play = Callable[[Stage], Awaitable[None]]


def play(folder: Path, story: Play, settings: str = CONTRACT + CHANNEL) -> None:
    """One story on a stage of its own, from two compiled profiles on."""

    async def run() -> None:
        with (
            SdkAgent(pause_s=0.05) as agent,
            LiarProxy(agent.port, PRICING, FARES, HOOKS) as proxy,
            pytest.MonkeyPatch.context() as environment,
            server() as nats,
        ):
            environment.setenv("TEAM_HOOK", f"https://{HOOKS}:{proxy.port}/hook?token={SECRET}")
            async with stage(proxy, nats, folder, settings) as held:
                for name in ("pricing", "fares"):
                    await held.first(ProfileCompiled, agent=name)
                await story(held)

    asyncio.run(run())


async def verified(held: Stage) -> int:
    """Pin, and wait until every needed claim was seen to hold and both candidates are judged."""
    at = await held.pin()
    for probe in ("binding-answers", "streaming", "input-mode", "output-mode"):
        await held.first(ProbeRecorded, at, agent="pricing", probe=probe, outcome="held")
    for name in ("pricing", "fares"):
        await held.first(ChangeDecided, at, agent=name, verdict="compatible")
    await held.uses("pricing")
    return held.now()


def test_a_claim_that_is_kept_no_longer_moves_the_planner_and_its_repair_brings_it_back(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        await verified(held)
        held.proxy.lie("SendStreamingMessage", "empty")
        probe, at = await held.first(ProbeRecorded, await held.probe("streaming"), probe="streaming")
        assert (probe.outcome, probe.reason) == ("contradicted", "empty-stream")
        decided, decision = await held.first(ChangeDecided, at.sequence, agent="pricing")
        assert (decided.verdict, decided.action) == ("breaking", "stop")
        assert [finding.rule for finding in decided.findings] == ["claim-contradicted"]
        assert at.fact.id in decided.causes
        route = await held.uses("fares")
        assert route["candidates"][0]["usable"] is False
        told, _ = await held.first(OwnerNotified, decision.sequence)
        assert (told.status, told.attempts, told.problem, told.channel) == (200, 1, "", "team")
        # A contradiction makes the agent due at once: its card is looked at, and still says it streams.
        await held.first(CardFetched, at.sequence, agent="pricing")
        await renewal(held, tmp_path, str(at.fact.id))

        held.proxy.lie("SendStreamingMessage", "")
        again = await held.probe("streaming")
        await held.first(ProbeRecorded, again, probe="streaming", outcome="held")
        recovery, back = await held.first(ChangeDecided, again, agent="pricing")
        assert (recovery.verdict, recovery.recovered) == ("compatible", True)
        await held.uses("pricing")
        await held.first(OwnerNotified, back.sequence)
        bodies = [body for _, body in held.proxy.hooks]
        assert [(body["verdict"], body["recovered"]) for body in bodies] == [("breaking", False), ("compatible", True)]

    play(tmp_path, story)


def test_without_a_contract_nothing_that_runs_a_message_ever_leaves(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await held.pin()
        await held.first(ProbeRecorded, at, agent="pricing", probe="binding-answers", outcome="held")
        await held.report(*[call(error=ReportedError(name="UnsupportedOperationError"))], name="r1")
        await held.first(ChangeDecided, at, agent="pricing", action="allow-degraded")
        asked = await held.probe("streaming")
        await held.first(ProbeRecorded, await held.probe("binding-answers"), probe="binding-answers")
        assert held.all_of(ProbeStarted) == []
        assert held.all_of(ProbeRecorded, asked, probe="streaming") == []
        for probe, refused in (("streaming", "no-contract"), ("extension-enforced", "makes no claim")):
            done = await command(held, tmp_path, "probe", "pricing", "--probe", probe)
            assert done.code == 2
            assert "probe-not-agreed" in done.err
            assert refused in done.err
        done = await command(held, tmp_path, "probe", "pricing", "--json")
        assert done.code == 0
        assert [(test["probe"], test["outcome"]) for test in done.json["tests"]] == [("binding-answers", "held")]
        held.proxy.lie("*", "missing")
        done = await command(held, tmp_path, "probe", "pricing", "--probe", "binding-answers")
        assert done.code == 1
        assert "contradicted" in done.out
        assert {method for method, _, _ in held.proxy.calls} <= {"GetTask", "tasks/get"}

    play(tmp_path, story, CHANNEL)


def test_only_the_agreed_message_is_sent_and_only_its_digest_is_kept(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        await verified(held)
        sent = [json.loads(body) for body in held.proxy.bodies if body]
        messages = [one["params"]["message"] for one in sent if "message" in one["params"]]
        assert messages == [PROBE] * 3
        for one in held.all_of(ProbeRecorded, agent="pricing"):
            record = one.fact.data
            assert isinstance(record, ProbeRecorded)
            assert record.request_digest.startswith("sha256:")
            assert b"agreed-1" not in one.raw
        assert len(held.all_of(ProbeStarted)) == 3

    play(tmp_path, story)


def test_a_throttled_probe_is_no_evidence_and_keeps_away_as_long_as_it_is_asked_to(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await verified(held)
        held.proxy.lie("SendStreamingMessage", "throttle")
        probe, told = await held.first(ProbeRecorded, await held.probe("streaming"), probe="streaming")
        assert (probe.outcome, probe.reason, probe.retry_after_s) == ("inconclusive", "throttled", 7)
        await held.caught_up("decider", "prober")
        assert held.all_of(ChangeDecided, at) == []
        row = await read_row(held.bus, "probing", "all", "checks", ("pricing", "public"))
        checks = Checks.model_validate_json((row or {})["value"])
        again = next(check for check in checks.entries if check.probe == "streaming")
        assert again.due - told.stored_at >= timedelta(seconds=7)

    play(tmp_path, story, CONTRACT.replace("[agents", "[probes]\nretry = 1\n[agents", 1) + CHANNEL)


def test_a_card_without_authentication_and_an_agent_that_demands_it_is_a_wrong_claim_not_an_outage(
    tmp_path: Path,
) -> None:
    async def story(held: Stage) -> None:
        held.proxy.lie("*", "closed")
        at = await held.pin()
        answers, _ = await held.first(ProbeRecorded, at, agent="pricing", probe="binding-answers")
        assert (answers.outcome, answers.reason) == ("inconclusive", "authentication")
        security, _ = await held.first(ProbeRecorded, at, agent="pricing", probe="security-required")
        assert (security.outcome, security.claim.value) == ("contradicted", "anonymous")
        decided, _ = await held.first(ChangeDecided, at, agent="pricing", verdict="breaking")
        assert [finding.subject for finding in decided.findings] == ["security anonymous"]

    play(tmp_path, story, CHANNEL)


def test_one_report_degrades_and_enough_of_them_break_what_no_probe_can_test(tmp_path: Path) -> None:
    failed = ReportedError(name="UnsupportedOperationError", code=-32004, message="streaming\u202e is off")

    async def story(held: Stage) -> None:
        at = await held.pin()
        await held.first(ChangeDecided, at, agent="pricing", verdict="compatible")
        await held.report(call(error=failed), name="r1")
        error, _ = await held.first(RuntimeErrorObserved, at)
        assert error.contradicts is not None
        assert (error.contradicts.kind, error.attribution, error.report) == ("streaming", "provider", "r1")
        assert "\\u202e" in error.detail
        decided, step = await held.first(ChangeDecided, at, agent="pricing", action="allow-degraded")
        assert (decided.verdict, decided.degraded) == ("compatible", ("streaming",))
        await held.uses("pricing", "streaming")
        await held.report(call(error=failed), call(error=failed), call(), call(), name="r2")
        broken, _ = await held.first(ChangeDecided, step.sequence, agent="pricing", verdict="breaking")
        assert "3 of" in broken.findings[0].message
        await held.uses("fares")

    play(tmp_path, story, CHANNEL)


def test_a_doubt_is_tested_at_once_and_a_probe_that_holds_lifts_it(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await verified(held)
        await held.report(call(error=ReportedError(local="empty-stream")), name="r1")
        await held.first(ChangeDecided, at, agent="pricing", action="allow-degraded")
        await held.first(ProbeRecorded, at, probe="streaming", outcome="held")
        decided, _ = await held.first(ChangeDecided, at, agent="pricing", action="allow")
        assert decided.degraded == ()

    play(tmp_path, story, CONTRACT.replace("[agents", "[probes]\nretry = 0\n[agents", 1) + CHANNEL)


def test_ten_thousand_calls_are_few_facts_and_what_is_no_report_is_parked(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await held.pin()
        await held.first(ChangeDecided, at, agent="pricing")
        await held.caught_up("observer")
        publish = held.bus.connection.js.publish
        for number in range(20):
            await held.report(*[call("SendMessage", latency_ms=n) for n in range(500)], name=f"r{number}")
        await held.report(call(), name="stranger", agent="nobody")
        await publish("cardtrail.reports.public.trip-planner", b'{"format":"cardtrail.calls/1","id":"x"')
        await publish("cardtrail.reports.other.trip-planner", dump(report("spoof")))
        await held.report(call("SendMessage"), name="last")
        counted = await held.log.until(lambda: _counts(held, 10_001))
        assert sum(event.calls for event in counted) == 10_001
        assert len(counted) <= 60
        assert {event.errors for event in counted} == {0}
        reports = held.contexts["observer"].progress["reports"]
        assert reports.parked == 3
        lines = (tmp_path / "observer" / "parked.jsonl").read_text().splitlines()
        assert [json.loads(line)["code"] for line in lines] == ["report-unknown", "report-unreadable", "report-foreign"]

    play(tmp_path, story, CHANNEL)


def test_an_owner_is_told_again_until_it_is_taken_and_the_secret_is_nowhere(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await verified(held)
        held.proxy.hook_answers = [(503, {}), (429, {"Retry-After": "1"}), (200, {})]
        held.proxy.lie("SendStreamingMessage", "plain")
        await held.probe("streaming")
        told, _ = await held.first(OwnerNotified, at)
        assert (told.status, told.attempts, told.problem) == (200, 3, "")
        keys = {headers["idempotency-key"] for headers, _ in held.proxy.hooks}
        assert keys == {str(told.decision)}
        assert all(SECRET.encode() not in one.raw for one in held.log.facts)

    play(tmp_path, story)


def test_a_channel_that_says_no_is_told_once_and_left_alone(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        at = await verified(held)
        held.proxy.hook_answers = [(404, {})]
        held.proxy.lie("SendStreamingMessage", "plain")
        await held.probe("streaming")
        told, _ = await held.first(OwnerNotified, at)
        assert (told.status, told.attempts, told.problem) == (404, 1, "http-404")
        await held.caught_up("notifier")
        assert len(held.proxy.hooks) == 1

    play(tmp_path, story)


def test_services_that_start_again_send_nothing_twice(tmp_path: Path) -> None:
    async def run() -> None:
        with (
            SdkAgent() as agent,
            LiarProxy(agent.port, PRICING, FARES, HOOKS) as proxy,
            pytest.MonkeyPatch.context() as environment,
            server() as nats,
        ):
            environment.setenv("TEAM_HOOK", f"https://{HOOKS}:{proxy.port}/hook")
            async with stage(proxy, nats, tmp_path, CONTRACT + CHANNEL) as held:
                await verified(held)
                proxy.lie("SendStreamingMessage", "empty")
                await held.first(OwnerNotified, await held.probe("streaming"))
            asked, ran = len(proxy.calls), agent.ran
            async with stage(proxy, nats, tmp_path, CONTRACT + CHANNEL) as held:
                await held.caught_up("notifier", "prober", "observer", "decider")
                assert len(proxy.hooks) == 1
                assert (len(proxy.calls), agent.ran) == (asked, ran)

    asyncio.run(run())


def test_the_worked_example_shows_a_claim_that_is_kept_no_longer_and_its_repair(tmp_path: Path) -> None:
    done = child("demo", "evidence", TMPDIR=str(tmp_path))
    assert done.code == 0, done.err
    _, tested, failed, repaired = re.split(r"^\d\. ", done.out, flags=re.MULTILINE)
    assert tested.count("✓ held") == 4
    assert "UnsupportedOperationError; SendMessage instead: result; both reported" in failed
    lines = [line.split() for line in failed.splitlines()]
    assert [line[1:] for line in lines if line[:1] == ["used"]] == [["fares"]]
    assert "✗ contradicted  streaming: unsupported" in failed
    assert "✗ breaking  claim-contradicted" in failed
    assert failed.count("told on travel-team, HTTP 200") == 1
    assert "✓ held  streaming" in repaired
    assert repaired.count("told on travel-team, HTTP 200: ✓ recovered") == 1
    assert ["used", "pricing"] in [line.split() for line in repaired.splitlines()]


async def command(held: Stage, folder: Path, *words: str) -> Done:
    """A command of an operator, while the tracker runs."""
    named = {"NATS_URL": held.server.url, "CARDTRAIL_CONFIG": str(folder / "cardtrail.toml")}
    return await asyncio.to_thread(child, *words, **named)


async def renewal(held: Stage, folder: Path, fact: str) -> None:
    """What an owner is proposed: the patch of the lock, each change with its reason and the facts that show it."""
    await held.caught_up("projector")
    (folder / "trip.lock.json").write_bytes(write_lock(lock_for(held.proxy)))
    written(folder / "card.json", held.proxy.cards[PRICING])
    words = ("pin", str(folder / "card.json"), "--update", str(folder / "trip.lock.json"), "--evidence", "--json")
    proposed = (await command(held, folder, *words)).json
    changes = {change["path"]: change for change in proposed["changes"]}
    streaming, skill = changes["$.verified.streaming"], changes[f"$.verified['{SKILL}']"]
    assert streaming["after"].startswith("probe contradicted 20")
    assert (streaming["reason"], streaming["evidence"]) == (
        "streaming: 0 of 1 trials held, empty-stream",
        [f"fact {fact}"],
    )
    assert skill["after"].startswith("probe ok 20")
    assert proposed["lockfile"]["verified"] == {"streaming": streaming["after"], SKILL: skill["after"]}
    assert "probe contradicted" in proposed["patch"]


def report(name: str) -> Report:
    return Report(id=name, agent="pricing", workflow="trip-planner", calls=(call(),))


def _counts(held: Stage, calls: int) -> list[CallsCounted] | None:
    events = [one.fact.data for one in held.all_of(CallsCounted)]
    found = [event for event in events if isinstance(event, CallsCounted)]
    return found if sum(event.calls for event in found) >= calls else None
