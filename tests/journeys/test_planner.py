"""A planner beside a whole tracker: a lock by location, cards over HTTPS, a route that moves, a call that fails, commands."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cardtrail.events import CallsCounted, RuntimeErrorObserved
from cardtrail.events.model.report import ReportedError
from cardtrail.events.upcast import decode
from cardtrail.services.bus.follow import follow
from cardtrail.services.bus.names import bucket_name, kv_stream, kv_subject
from cardtrail.services.bus.snapshot import snapshot
from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.planner import Planner
from cardtrail.services.planner.call import CallPlan
from tests.journeys.shell import Shell
from tests.journeys.tracked import tracking
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import cardtrail
from tests.services.planner.stage import upto

PRICING, FARES = "pricing.partner.example", "fares.other.example"
SKILL, TRIP = "itinerary-pricing", "trip-planner"
PDF = [skill(outputModes=["application/pdf"])]
MESSAGE = {"messageId": "m1", "role": "ROLE_USER", "parts": [{"data": {"from": "A"}}]}
WAIT_S = 240.0


class Desk(Shell):
    """Before two agents."""

    async def serves(self, host: str, agent: str, **changes: Any) -> None:
        endpoint = {"url": f"https://{host}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        self.tracked.publish(host, json.dumps(card(supportedInterfaces=[endpoint], **changes)).encode())
        await self.tracked.look(agent)

    async def pins(self) -> None:
        """A lock by location, with a fallback by location and a person behind both."""
        own, other = (self.tracked.host.url(host=host) for host in (PRICING, FARES))
        held = lock(agent=own, owner="mira", person="the travel desk", fallback=[{"agent": other}])
        await self.say("track", "--lock", str(written(self.folder / "trip.lock.json", held)))
        waited = await self.json("can-i-delegate", TRIP, "--skill", SKILL, "--wait", "60s")
        assert (waited["allowed"], waited["answers"][0]["first"]) == (True, True)
        for agent in ("pricing", "fares"):
            await self.tracked.look(agent)


def test_a_planner_s_day(tmp_path: Path) -> None:
    asyncio.run(asyncio.wait_for(day(tmp_path), WAIT_S))


async def day(folder: Path) -> None:
    async with tracking(folder, {"pricing": PRICING, "fares": FARES}) as tracked:
        desk = Desk(tracked, folder)
        await desk.serves(PRICING, "pricing")
        await desk.serves(FARES, "fares")
        assert (await desk.json("can-i-delegate", TRIP, code=2))["error"]["code"] == "workflow-unknown"
        await desk.pins()
        async with Planner(tracked.system.url, TRIP, snapshot=folder / "planner.json") as planner:
            await all_is_well(desk, planner)
            await a_call_fails_and_is_evidence(desk, planner)
            await the_route_moves_before_a_call_fails(desk, planner)
            await nobody_is_left(desk, planner)


async def all_is_well(desk: Desk, planner: Planner) -> None:
    said = planner.may_delegate(SKILL)
    assert (said.answer, said.watched, said.fresh, said.reasons) == ("yes", "pricing", True, ())
    found = await desk.json("can-i-delegate", TRIP, "--skill", SKILL, "--wait", "20s")
    (answer,) = found["answers"]
    assert (found["allowed"], answer["first"], answer["agent"]) == (True, True, said.agent)
    assert all(candidate["card"] for candidate in answer["candidates"])
    assert [one["answer"] for one in answer["candidates"]] == ["yes", "yes"]
    text = (await desk.say("can-i-delegate", "--workflow", TRIP)).out.splitlines()
    assert text[0].split("\t") == ["AGENT", "CARD", "VERDICT", "EVIDENCE", "SEEN", "WHY"]
    assert text[1].endswith("as locked")
    assert text[2].endswith("satisfies the same lock")
    assert text[-1] == f"yes: {said.agent}"
    matrix = (await desk.say("can-i-delegate")).out
    assert "✓ compatible *" in matrix
    why = await desk.json("explain", TRIP)
    assert {one["agent"] for one in (why["decision"], *why["beside"])} == {one["agent"] for one in answer["candidates"]}
    near = await desk.json("can-i-delegate", "trip-planer", code=2)
    assert near["error"]["hint"] == "did you mean trip-planner?"
    wrong = await desk.json("can-i-delegate", TRIP, "--skill", "itinerary-pricin", code=2)
    assert (wrong["error"]["code"], wrong["error"]["hint"]) == ("skill-not-locked", f"did you mean {SKILL}?")


async def a_call_fails_and_is_evidence(desk: Desk, planner: Planner) -> None:
    """A refused stream: the plain call instead, a fact in the log, and the next plan does not stream."""
    plan = planner.plan(SKILL, MESSAGE, stream=True, sent_modes=("application/json",))
    assert isinstance(plan, CallPlan)
    assert (plan.agent, plan.operation) == ("pricing", "SendStreamingMessage")
    before = (await desk.tracked.system.bus.info()).last
    plain = planner.fall_back(plan, ReportedError(name="UnsupportedOperationError", code=-32004), latency_ms=5)
    assert plain is not None
    planner.report(plain, latency_ms=40)
    assert await planner.flush()
    told: dict[type, Any] = {}
    async for message in follow(desk.tracked.system.bus, "cardtrail.events.>", before):
        event = decode(message.data).data
        told[type(event)] = event
        if {RuntimeErrorObserved, CallsCounted} <= told.keys():
            break
    failed = told[RuntimeErrorObserved]
    assert (failed.agent, failed.workflow, failed.contradicts.kind) == ("pricing", TRIP, "streaming")
    again = planner.plan(SKILL, MESSAGE, stream=True)
    assert isinstance(again, CallPlan)
    assert again.operation == "SendMessage"


async def the_route_moves_before_a_call_fails(desk: Desk, planner: Planner) -> None:
    updates = planner.updates()
    await upto(updates, "caught-up")
    next_card = written(desk.folder / "next.json", card(skills=PDF))
    foreseen = await desk.json("impact", "pricing", "--card", str(next_card), "--fail-on", "breaking", code=1)
    (mine,) = [one for one in foreseen["dependants"] if one["role"] == "first"]
    assert (mine["owner"], mine["used"], mine["stops"], foreseen["stopping"]) == ("mira", True, False, 0)
    assert "output-modes-disjoint" in {one["rule"] for one in mine["with_card"]["findings"]}
    await desk.serves(PRICING, "pricing", version="4.0.0")
    await desk.serves(PRICING, "pricing", version="4.0.0", skills=PDF)
    told: set[tuple[str, str]] = set()
    async for update in updates:
        told |= {(one.code, one.detail) for one in update.permission.reasons} if update.permission else set()
        if update.permission is not None and update.permission.watched == "fares":
            break
    told.discard(("degraded", "without streaming"))
    assert told == {("review", "agent-version-changed"), ("stopped", "output-modes-disjoint")}, (
        "a stop by a rule that stops"
    )
    said = planner.may_delegate(SKILL)
    assert (said.answer, said.watched, said.reasons[0].code) == ("yes", "fares", "stopped")
    plan = planner.plan(SKILL, MESSAGE)
    assert isinstance(plan, CallPlan)
    assert plan.request.url == f"https://{FARES}/a2a"
    refused = await desk.say("can-i-delegate", TRIP, code=1)
    assert "output-modes-disjoint" in refused.out
    assert refused.out.splitlines()[-1].startswith("no: use https://fares.other.example")
    assert refused.out.splitlines()[-1].endswith("(--any: a planner does)")
    await desk.say("can-i-delegate", TRIP, "--any")
    reach = (await desk.json("impact", FARES))["dependants"]
    assert [(one["role"], one["used"], one["stops"], one["person"]) for one in reach] == [
        ("fallback", True, True, "the travel desk")
    ]
    assert "stops: ask the travel desk" in (await desk.say("impact", "fares")).out


async def nobody_is_left(desk: Desk, planner: Planner) -> None:
    await desk.serves(FARES, "fares", skills=PDF)
    async for update in planner.updates():
        if update.permission is not None and update.permission.answer == "no":
            break
    said = planner.may_delegate(SKILL)
    assert (said.answer, said.agent, said.person) == ("no", None, "the travel desk")
    assert [(one.code, one.detail) for one in said.reasons] == [("stopped", "output-modes-disjoint")] * 2
    await a_fallback_is_said_to_be_one(desk)


async def a_fallback_is_said_to_be_one(desk: Desk) -> None:
    """Its verdict stands where somebody looks, and a lock that it no longer stands behind says so."""
    (alone,) = (await desk.json("status"))["alone"]
    (behind,) = alone["behind"]
    assert (alone["workflow"], behind["watched"], behind["rules"]) == (TRIP, "fares", ["output-modes-disjoint"])
    assert "no agent stands behind" in (await desk.say("status")).out
    rows = {one["agent"]: one for one in (await desk.json("agents"))["agents"]}
    assert (rows["fares"]["locks"], rows["fares"]["stands_in"], rows["pricing"]["stands_in"]) == ([], [TRIP], [])
    (now,) = (await desk.json("show", "fares"))["stands_in"]
    assert (now["workflow"], now["verdict"]) == (TRIP, "breaking")
    assert "no lock of its own" in (await desk.say("show", "fares")).out
    (then,) = (await desk.json("show", "fares", "--as-of", datetime.now(UTC).isoformat()))["stands_in"]
    assert then == now, "the log says of an instant what the buckets say of now"
    checks = (await desk.json("doctor"))["checks"]
    assert any("no agent stands behind 1 lock" in check["says"] for check in checks)
    text = (await desk.say("can-i-delegate", TRIP, "--any", code=1)).out
    assert text.splitlines()[-1] == "no: ask the travel desk"
    await all_stands_in_the_buckets_as_published(desk)


async def all_stands_in_the_buckets_as_published(desk: Desk) -> None:
    shapes = {"routes": "value.route", "current_profile": "value.profile", "lockfile_status": "value.status"}
    for table, shape in shapes.items():
        bucket = bucket_name(table, "public")
        values = await snapshot(desk.tracked.system.bus.connection, kv_stream(bucket), kv_subject(bucket, f"{table}.>"))
        assert values
        for value in values:
            Draft202012Validator(schemas()[shape]()).validate(json.loads(value.data))


@pytest.mark.parametrize("words", [("can-i-delegate", "--skill", "x"), ("impact",)])
def test_a_question_about_nothing_is_a_usage_error(words: tuple[str, ...]) -> None:
    assert cardtrail(*words).code == 2
