"""A planner's plans for running tasks and the extended card, on a real broker: by the plan they came of, and the profile."""

import json

from cardtrail.events.model.profile import Interface
from cardtrail.services.planner.call import CallPlan, CallRefused
from tests.services.planner.routes import SKILL, stopped
from tests.services.planner.stage import Stage, upto
from tests.services.planner.test_client import MESSAGE, PROFILE, REFUSED, fresh, played, reports


def test_a_task_goes_on_where_it_was_begun_when_its_agent_is_stopped_and_has_moved() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.profile("fares", PROFILE)
        await held.route(fresh(), fresh("fares"))
        async with held.planner() as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            plan = planner.plan(SKILL, MESSAGE)
            assert isinstance(plan, CallPlan)
            moved = Interface(url="https://pricing.example/v2", binding="JSONRPC", version="1.0", tenant="b")
            await held.profile("pricing", PROFILE.model_copy(update={"interface": moved}), "sha256:2")
            await upto(updates, "profile")
            await held.route(stopped("pricing"), fresh("fares"))
            await upto(updates, "route")
            assert planner.may_delegate(SKILL).agent == "fares"
            asked = planner.plan_task(plan, "t1", "CancelTask")
            assert isinstance(asked, CallPlan)
            for made in (asked, planner.plan_reply(plan, "t1", MESSAGE, stream=True)):
                assert (made.agent, made.request.url, made.task) == ("pricing", plan.interface.url, True)
                assert json.loads(made.request.body)["id"]
                planner.report(made, latency_ms=3)
            assert await planner.flush()
            assert [call["task"] for one in await reports(held) for call in one["calls"]] == [True, True]

    played(story)


def test_a_task_at_an_agent_that_has_refused_to_stream_is_not_streamed_either() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE)
        await held.route(fresh())
        async with held.planner() as planner:
            plan = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(plan, CallPlan)
            assert isinstance(planner.plan_task(plan, "t1", "SubscribeToTask"), CallPlan)
            assert planner.fall_back(plan, REFUSED)
            assert isinstance(planner.plan_task(plan, "t1", "SubscribeToTask"), CallRefused)

    played(story)


def test_the_extended_card_is_asked_for_by_the_profile_of_a_watched_agent() -> None:
    async def story(held: Stage) -> None:
        await held.profile("pricing", PROFILE.model_copy(update={"extended_card": True}))
        await held.route(fresh())
        async with held.planner() as planner:
            plan = planner.plan_extended_card("pricing")
            assert isinstance(plan, CallPlan)
            assert (plan.agent, plan.profile_digest, plan.operation) == ("pricing", "sha256:1", "GetExtendedAgentCard")
            unknown = planner.plan_extended_card("fares")
            assert isinstance(unknown, CallRefused)
            assert unknown.reason == "profile-unknown"

    played(story)
