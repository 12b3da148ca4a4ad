"""A planner on a real broker, under a planner's account: it follows, says when it is blind, reports, starts offline."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.events.model.profile import Interface, Profile, SkillProfile
from cardtrail.events.model.report import ReportedError
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable
from cardtrail.services.bus.login import Login
from cardtrail.services.planner import Planner
from cardtrail.services.planner.call import CallPlan, CallRefused
from tests.services.planner.routes import SKILL, candidate, stopped
from tests.services.planner.stage import Stage, stage, upto
from tests.streams import PATIENCE_S

PROFILE = Profile(
    usable=True,
    interface=Interface(url="https://pricing.example/rpc", binding="JSONRPC", version="1.0"),
    streaming=True,
    skills={SKILL: SkillProfile(input=("text/plain",), output=("text/plain",))},
)
MESSAGE = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hello"}]}
REFUSED = ReportedError(name="UnsupportedOperationError", code=-32004)
Story = Callable[[Stage], Awaitable[None]]


def fresh(agent: str = "pricing", **members: Any) -> Any:
    return candidate(agent, stale_after=datetime.now(UTC) + timedelta(days=1), **members)


def played(story: Story, **settings: Any) -> None:
    async def run() -> None:
        async with stage(**settings) as held, asyncio.timeout(PATIENCE_S):
            await story(held)

    asyncio.run(run())


async def reports(held: Stage) -> list[dict[str, Any]]:
    js = held.bus.connection.js
    count = (await js.stream_info("CARDTRAIL_REPORTS")).state.messages
    return [
        json.loads((await js.get_msg("CARDTRAIL_REPORTS", seq=number)).data or b"") for number in range(1, count + 1)
    ]


def test_it_knows_its_routes_when_it_is_entered() -> None:
    async def story(held: Stage) -> None:
        await held.route(stopped("pricing", rules=("input-mode-removed",)), fresh("fares", skill="fare-quote"))
        await held.route(fresh("other"), workflow="another", skill="x")
        async with held.planner() as planner:
            said = planner.may_delegate(SKILL)
            assert (said.answer, said.agent, said.agent_skill, said.fresh) == ("yes", "fares", "fare-quote", True)
            assert planner.skills == (SKILL,)
            assert said.reasons[0].detail == "input-mode-removed"

    played(story)


def test_a_late_listener_gets_a_snapshot_a_mark_and_then_every_change() -> None:
    async def story(held: Stage) -> None:
        await held.route(fresh())
        await held.route(fresh(), skill="book")
        async with held.planner() as planner:
            early, late = planner.updates(), planner.updates()
            assert [(one.kind, one.skill) for one in await upto(early, "caught-up")] == [
                ("route", "book"), ("route", SKILL), ("caught-up", None),
            ]  # fmt: skip
            await held.route(stopped())
            assert (await anext(early)).skill == SKILL
            told = await upto(late, "caught-up")
            assert [one.permission.answer for one in told if one.permission is not None] == ["yes", "no"]
            for number in range(20):
                await held.route(fresh() if number % 2 else stopped(decision=f"d{number}"))
            for listener in (early, late):
                seen = [await anext(listener) for _ in range(20)]
                assert [one.through for one in seen] == list(range(4, 24))
            await held.withdraw()
            assert ((await anext(late)).kind, planner.skills) == ("withdrawn", ("book",))

    played(story)


def test_it_waits_for_buckets_that_are_not_there_yet() -> None:
    async def story(held: Stage) -> None:
        async with held.planner(patience_s=2.0) as planner:
            assert planner.may_delegate(SKILL).reasons[0].code == "not-caught-up"
            await held.route(fresh())
            updates = planner.updates()
            await upto(updates, "caught-up")
            while planner.may_delegate(SKILL).answer != "yes":  # it may have caught up before the route was there
                await anext(updates)

    played(story, buckets=False)


@pytest.mark.parametrize(("when_blind", "answer"), [("stop", "unknown"), ("allow", "yes")])
def test_a_broker_that_dies_makes_it_blind_at_once_and_nothing_is_missed(when_blind: str, answer: str) -> None:
    async def story(held: Stage) -> None:
        await held.route(fresh(), when_blind=when_blind)
        async with held.planner() as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            await held.dies()
            await upto(updates, "blind")
            said = planner.may_delegate(SKILL)
            assert (said.answer, said.fresh, said.blind is not None) == (answer, False, True)
            await held.revives()
            await held.route(stopped(), when_blind=when_blind)
            await upto(updates, "caught-up")
            while planner.may_delegate(SKILL).answer != "no":  # it may have caught up before the route changed
                await anext(updates)
            assert planner.may_delegate(SKILL).blind is None

    played(story)


def test_a_tracker_that_has_died_behind_a_living_broker_makes_it_blind() -> None:
    async def story(held: Stage) -> None:
        await held.route(fresh())
        now = datetime.now(UTC)
        async with held.planner(clock=lambda: now) as planner:
            assert planner.may_delegate(SKILL).fresh
            now += timedelta(seconds=61)
            await upto(planner.updates(), "blind")
            said = planner.may_delegate(SKILL)
            assert said.blind is not None
            assert (said.answer, said.blind.why) == ("unknown", "tracker-silent")

    played(story)


def test_a_judgement_grows_old_though_nothing_arrives() -> None:
    async def story(held: Stage) -> None:
        await held.route(candidate(stale_after=datetime.now(UTC) + timedelta(hours=1)))
        now = datetime.now(UTC)
        async with held.planner(clock=lambda: now, tracker_silence_s=1e6) as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            now += timedelta(hours=2)
            update = await anext(updates)
            assert update.permission is not None
            assert (update.kind, update.permission.reasons[0].code) == ("route", "stale")

    played(story)


def test_a_plan_follows_the_profile_of_the_agent_in_use() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh(degraded=("streaming",)))
        async with held.planner() as planner:
            plan = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(plan, CallPlan)
            assert (plan.agent, plan.operation, plan.request.url) == ("pricing", "SendMessage", PROFILE.interface.url)  # type: ignore[union-attr]
            refused = planner.plan("book", MESSAGE)
            assert isinstance(refused, CallRefused)
            assert refused.reason == "not-permitted"

    played(story)


def test_a_lock_that_names_its_agent_by_a_location_is_planned_by_the_watched_agent_s_profile() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh("https://pricing.example/card", watched="pricing"))
        async with held.planner() as planner:
            plan = planner.plan(SKILL, MESSAGE)
            assert isinstance(plan, CallPlan)
            assert (planner.may_delegate(SKILL).agent, plan.agent) == ("https://pricing.example/card", "pricing")

    played(story)


def test_a_stream_that_is_refused_falls_back_is_reported_and_not_tried_again() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh())
        async with held.planner() as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            plan = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(plan, CallPlan)
            assert plan.operation == "SendStreamingMessage"
            plain = planner.fall_back(plan, REFUSED, latency_ms=12)
            assert plain is not None
            planner.report(plain, latency_ms=30, authenticated=True)
            again = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(again, CallPlan)
            assert (plain.operation, again.operation) == ("SendMessage", "SendMessage")
            assert await planner.flush()
            (report,) = await reports(held)
            assert (report["agent"], report["workflow"], report["principal"]) == ("pricing", "trip", "team a")
            failed, well = report["calls"]
            assert (failed["operation"], failed["error"]["name"], failed["error"]["code"]) == (
                "SendStreamingMessage", "UnsupportedOperationError", -32004,
            )  # fmt: skip
            assert (well["operation"], well["error"], well["authenticated"], well["version"]) == (
                "SendMessage", None, True, "1.0",
            )  # fmt: skip
            await held.profile("pricing", PROFILE.model_copy(update={"push": True}), "sha256:2")
            assert (await upto(updates, "profile"))[-1].agent == "pricing"
            streams = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(streams, CallPlan)
            assert streams.operation == "SendStreamingMessage"

    played(story)


def test_what_is_to_be_avoided_at_an_agent_is_what_its_judgement_says_and_what_it_refused_under_its_profile() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh(), fresh(agent="fares", degraded=("streaming",)))
        async with held.planner() as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            assert (planner.avoided("pricing"), planner.avoided("fares")) == (frozenset(), {"streaming"})
            held_now = planner.profile("pricing")
            assert held_now is not None
            assert not planner.refused("pricing", held_now.profile_digest, REFUSED, task=True)
            assert planner.avoided("pricing") == frozenset()
            assert planner.refused("pricing", held_now.profile_digest, REFUSED, task=False)
            assert planner.avoided("pricing") == {"streaming"}
            await held.profile("pricing", PROFILE.model_copy(update={"push": True}), "sha256:2")
            await upto(updates, "profile")
            assert planner.avoided("pricing") == frozenset()

    played(story)


def test_reports_wait_for_a_broker_that_is_away_and_are_told_once() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh(), when_blind="allow")
        async with held.planner() as planner:
            await held.dies()
            await upto(planner.updates(), "blind")
            plan = planner.plan(SKILL, MESSAGE)
            assert isinstance(plan, CallPlan)
            for number in range(7):
                planner.report(plan, latency_ms=number)
            assert not await planner.flush(within_s=0.3)
            assert planner.unreported == (7, 0)
            await held.revives()
            while not await planner.flush():
                pass
            assert [call["latency_ms"] for report in await reports(held) for call in report["calls"]] == list(range(7))

    played(story)


def test_leaving_sends_what_waits() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh())
        async with held.planner() as planner:
            plan = planner.plan(SKILL, MESSAGE)
            assert isinstance(plan, CallPlan)
            planner.report(plan, latency_ms=1)
        assert len(await reports(held)) == 1

    played(story)


def test_from_a_snapshot_it_starts_without_a_broker_and_says_from_when_it_is(tmp_path: Path) -> None:
    async def story(held: Stage) -> None:
        kept = tmp_path / "planner.json"
        await held.profile("pricing", PROFILE)
        await held.route(fresh(), when_blind="allow")
        await held.route(fresh(), skill="book")
        before = datetime.now(UTC)
        async with held.planner(snapshot=kept):
            pass
        await held.dies()
        async with held.planner(snapshot=kept) as planner:
            said = planner.may_delegate(SKILL)
            assert (said.answer, said.source, said.fresh) == ("yes", "snapshot", False)
            assert before <= said.as_of <= datetime.now(UTC)
            assert planner.may_delegate("book").answer == "unknown"
            assert isinstance(planner.plan(SKILL, MESSAGE), CallPlan)
            updates = planner.updates()
            assert [one.kind for one in await upto(updates, "blind")] == ["route", "route", "blind"]
            await held.revives()
            await held.withdraw("book")
            await upto(updates, "caught-up")
            while "book" in planner.skills:  # it may have caught up before that
                await anext(updates)
            assert (planner.may_delegate(SKILL).source, planner.skills) == ("live", (SKILL,))

    played(story)


def test_without_broker_and_snapshot_there_is_nothing_to_go_by(tmp_path: Path) -> None:
    async def run() -> None:
        with pytest.raises(BrokerUnreachable):
            async with Planner("nats://127.0.0.1:1", "trip", patience_s=0.2, snapshot=tmp_path / "absent"):
                pass

    asyncio.run(run())


def test_a_url_that_is_none_is_named_in_the_traceback_and_its_password_is_not() -> None:
    async def run() -> None:
        async with Planner("nats://me:secret@127.0.0.1:4222:", "trip"):
            pass

    with pytest.raises(UsageError) as refused:
        asyncio.run(run())
    assert str(refused.value) == "no URL of a broker: nats://127.0.0.1:4222:"


def test_a_wrong_password_is_refused_and_never_shown() -> None:
    async def story(held: Stage) -> None:
        with pytest.raises(BrokerRefused) as refused:
            async with held.planner(login=Login(user="ours", password="hunter2")):
                pass
        assert "hunter2" not in str(refused.value)
        assert "hunter2" not in repr(Login(user="ours", password="hunter2"))

    played(story)


def test_credentials_that_cannot_be_used_are_told_before_anything_is_tried(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Planner("nats://127.0.0.1:1", "trip", login=Login(file=tmp_path / "absent.creds"))


def test_listeners_come_and_go_under_load_and_no_route_is_lost() -> None:
    async def story(held: Stage) -> None:
        await held.route(fresh())
        async with held.planner() as planner:

            async def change() -> None:
                for number in range(200):
                    await held.route(fresh(decision=f"d{number}"))

            changing = asyncio.create_task(change())
            for _ in range(100):
                listening = asyncio.create_task(upto(planner.updates(), "never"))
                await asyncio.sleep(0)
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
            steady = planner.updates()
            seen = 0
            while seen < 201:
                seen = (await anext(steady)).through
            await changing
            assert planner.may_delegate(SKILL).decision == "d199"

    played(story)
