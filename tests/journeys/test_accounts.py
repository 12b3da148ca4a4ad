"""What a planner's account may do on a real broker: all that `Planner` does, and nothing of anybody else's."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import nats
import nats.errors
import pytest

from cardtrail.events.fact import dump
from cardtrail.events.model.report import Report
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.login import Login, security
from cardtrail.services.bus.names import JS_DOMAIN, bucket_name, inbox_prefix, kv_stream
from cardtrail.services.planner.call import CallPlan
from tests.services.bus.facts import decided, fetched
from tests.services.planner.routes import SKILL, candidate
from tests.services.planner.stage import PRINCIPAL, TRIP, Stage, stage, upto
from tests.services.planner.test_client import MESSAGE, PROFILE, REFUSED
from tests.streams import PATIENCE_S

OURS, THEIRS = bucket_name("routes", PRINCIPAL), bucket_name("routes", "team-b")
MINE, ALL = f"$KV.{OURS}.>", f"$KV.{THEIRS}.>"
DOMAIN = f"$JS.{JS_DOMAIN}.API"
_SILENCE_S = 0.15
PULL = {"ack_policy": "none", "deliver_policy": "all", "mem_storage": True, "inactive_threshold": 30_000_000_000}
SILENT = {
    "anything of JetStream": ("$JS.API.INFO", {}),
    "a list of streams": ("$JS.API.STREAM.LIST", {}),
    "a fact by sequence": ("$JS.API.STREAM.MSG.GET.CARDTRAIL_FACTS", {"seq": 1}),
    "a fact by sequence, directly": ("$JS.API.DIRECT.GET.CARDTRAIL_FACTS", {"seq": 1}),
    "a fact by subject, directly": (
        "$JS.API.DIRECT.GET.CARDTRAIL_FACTS.cardtrail.events.0.a=2Eexample.public.card-fetched.-", {}),
    "a body": ("$JS.API.DIRECT.GET.CARDTRAIL_BODIES", {"seq": 1}),
    "a consumer on the facts": (
        "$JS.API.CONSUMER.CREATE.CARDTRAIL_FACTS.team=20a-x.cardtrail.events.>", {"stream_name": "CARDTRAIL_FACTS"}),
    "a consumer on the reports": (
        "$JS.API.CONSUMER.CREATE.CARDTRAIL_REPORTS.team=20a-x.cardtrail.reports.>", {"stream_name": "CARDTRAIL_REPORTS"}),
    "its own bucket by sequence": (f"$JS.API.STREAM.MSG.GET.{kv_stream(OURS)}", {"seq": 1}),
    "another's bucket bare": (f"$JS.API.DIRECT.GET.{kv_stream(THEIRS)}", {"seq": 1, "next_by_subj": ALL}),
    "its own bucket purged": (f"$JS.API.STREAM.PURGE.{kv_stream(OURS)}", {}),
    "its own bucket deleted": (f"$JS.API.STREAM.DELETE.{kv_stream(OURS)}", {}),
    "its own bucket rewritten": (f"$KV.{OURS}.routes.team=20a.trip.quote", {"row": None}),
    "a consumer on another's bucket": (
        f"$JS.API.CONSUMER.CREATE.{kv_stream(THEIRS)}.team=20a-x.{ALL}", {"stream_name": kv_stream(THEIRS)}),
    "another's bucket under its own consumer": (
        f"$JS.API.CONSUMER.CREATE.{kv_stream(OURS)}.team=20a-x.{ALL}", {"stream_name": kv_stream(OURS)}),
    "another's messages": (f"$JS.API.CONSUMER.MSG.NEXT.{kv_stream(THEIRS)}.team-b-1", {"batch": 1}),
    "a key of another's bucket": (f"$JS.API.DIRECT.GET.{kv_stream(THEIRS)}.$KV.{THEIRS}.routes.team-b.trip.quote", {}),
    "the state of another's bucket": (f"$JS.API.STREAM.INFO.{kv_stream(THEIRS)}", {}),
    "a fact of its own": ("cardtrail.events.0.a.public.card-fetched.-", {"specversion": "1.0"}),
    "a decision of its own": ("cardtrail.decisions.trip.a", {}),
    "a live decision of its own": ("cardtrail.live.decisions.trip.a", {}),
    "a sign of life of its own": ("cardtrail.live.alive.decider", {"service": "decider", "silent_s": 0}),
    "a report in another's name": ("cardtrail.reports.team-b.trip", {"id": "x"}),
    "a report for a workflow of others": ("cardtrail.reports.team=20a.other", {"id": "x"}),
    "the health of a service": ("cardtrail.health.decider", {}),
    "a deadline": ("cardtrail.due.x", {}),
}  # fmt: skip
DEAF = (
    ">", "$KV.>", f"$KV.{THEIRS}.>", MINE, "_INBOX.>", "_INBOX_team-b.>", "cardtrail.>", "cardtrail.events.>",
    "cardtrail.live.decisions.>", "cardtrail.live.decisions.other.>", "cardtrail.reports.>", "$JS.EVENT.>",
)  # fmt: skip


def played(story: Callable[[Stage, Bus], Awaitable[None]]) -> None:
    """A story on a broker with accounts; `planner` is a bare connection under the account of one."""

    async def run() -> None:
        async with stage() as held, asyncio.timeout(2 * PATIENCE_S):
            for principal in ("team-b", "public"):
                await KvStore(held.bus, "routes", principal).load()
            login = security(Login(user="ours", password="o"))
            async with Bus(
                held.server.url, inbox=inbox_prefix(PRINCIPAL), security=login, domain=JS_DOMAIN, patience_s=PATIENCE_S
            ) as planner:
                await story(held, planner)

    asyncio.run(run())


async def answered(planner: Bus, subject: str, value: dict[str, Any], *, within_s: float = PATIENCE_S) -> Any:
    """The broker's answer, None where it says nothing: asked under the planner's own API and under the domain."""
    body = json.dumps(value).encode()
    for asked in dict.fromkeys((subject, subject.replace("$JS.API", DOMAIN))):
        with contextlib.suppress(nats.errors.TimeoutError, nats.errors.NoRespondersError):
            return json.loads((await planner.connection.nc.request(asked, body, timeout=within_s)).data)
    return None


def test_everything_a_planner_does_works_under_exactly_its_account() -> None:
    async def story(held: Stage, _: Bus) -> None:
        await held.profile("pricing", PROFILE)
        heard = candidate(stale_after=datetime.now(UTC) + timedelta(days=1))
        await held.route(heard)
        async with held.planner() as planner:
            updates = planner.updates()
            await upto(updates, "caught-up")
            assert planner.may_delegate(SKILL).answer == "yes"
            plan = planner.plan(SKILL, MESSAGE, stream=True)
            assert isinstance(plan, CallPlan)
            assert planner.fall_back(plan, REFUSED) is not None
            assert await planner.flush()
            await held.bus.tell([fetched() for _ in range(5)])  # sequences beyond those that the route stands for
            stop = decided(workflow=TRIP, agent="pricing")
            told = stop.data.model_copy(update={"principal": PRINCIPAL, "action": "stop", "verdict": "breaking"})
            await held.bus.tell([stop.model_copy(update={"data": told})])
            assert (await anext(updates)).permission.answer == "no"  # type: ignore[union-attr]  # heard live

    played(story)


@pytest.mark.parametrize("what", SILENT)
def test_a_planner_gets_no_answer_and_changes_nothing(what: str) -> None:
    subject, value = SILENT[what]

    async def story(held: Stage, planner: Bus) -> None:
        await held.route(candidate())
        await held.bus.tell([fetched()])
        before = (await held.bus.info()).facts
        told = value
        if "stream_name" in value:
            *_, name, keys = subject.split(".", 6)
            told = value | {"config": {**PULL, "name": name, "filter_subject": keys}}
        said = await answered(planner, subject, told, within_s=_SILENCE_S)
        assert said is None or "error" in said, said
        js = held.bus.connection.js
        assert (await held.bus.info()).facts == before
        assert (await js.stream_info("CARDTRAIL_REPORTS")).state.messages == 0
        assert (await js.stream_info(kv_stream(OURS))).state.messages == 2
        assert (await js.stream_info("CARDTRAIL_FACTS")).state.consumer_count == 0
        assert (await js.stream_info(kv_stream(THEIRS))).state.consumer_count == 0

    played(story)


@pytest.mark.parametrize("subject", DEAF)
def test_a_planner_hears_nothing_that_is_not_meant_for_it(subject: str) -> None:
    async def story(held: Stage, _: Bus) -> None:
        refusals = asyncio.Queue[str]()

        async def refused(error: Exception) -> None:
            refusals.put_nowait(str(error).lower())

        bare = await nats.connect(held.server.url, user="ours", password="o", error_cb=refused)
        try:
            await bare.subscribe(subject)
            assert "permissions violation for subscription" in await refusals.get()
        finally:
            await bare.close()

    played(story)


def test_a_consumer_cannot_be_given_a_wider_filter_than_its_name_says() -> None:
    async def story(held: Stage, planner: Bus) -> None:
        await held.route(candidate())
        subject = f"{DOMAIN}.CONSUMER.CREATE.{kv_stream(OURS)}.team=20a-x.{MINE}"
        for more in ({"filter_subject": ">"}, {"filter_subjects": [MINE, ALL]}, {"filter_subject": ALL}):
            config = {**PULL, "name": "team=20a-x", **more}
            said = await answered(planner, subject, {"stream_name": kv_stream(OURS), "config": config})
            assert "error" in said

    played(story)


def test_a_consumer_cannot_make_the_broker_write_what_its_planner_may_not() -> None:
    """A push consumer's deliver subject is checked against no permission: it must still reach neither a stream nor the API."""

    async def story(held: Stage, planner: Bus) -> None:
        await held.route(candidate())
        await held.bus.tell([fetched()])
        targets = (
            "cardtrail.events.0.a.public.card-fetched.-", "cardtrail.reports.public.trip", f"$KV.{THEIRS}.x",
            "$JS.API.STREAM.DELETE.CARDTRAIL_FACTS", f"$JS.API.STREAM.PURGE.{kv_stream(OURS)}",
        )  # fmt: skip
        for number, target in enumerate(targets):
            name = f"team=20a-{number}"
            config = {**PULL, "name": name, "filter_subject": MINE, "deliver_subject": target}
            subject = f"{DOMAIN}.CONSUMER.CREATE.{kv_stream(OURS)}.{name}.{MINE}"
            made = await answered(planner, subject, {"stream_name": kv_stream(OURS), "config": config})
            assert made["name"] == name
        await held.route(candidate(decision="another"))
        await held.bus.tell([fetched()])
        js = held.bus.connection.js
        assert (await held.bus.info()).facts == 2
        assert (await js.stream_info("CARDTRAIL_REPORTS")).state.messages == 0
        assert (await js.stream_info(kv_stream(THEIRS))).state.messages == 0
        assert (await js.stream_info(kv_stream(OURS))).state.messages == 2

    played(story)


ASKED = {
    "the state of its bucket": (f"{DOMAIN}.STREAM.INFO.{kv_stream(OURS)}", {}),
    "a key of its bucket": (f"{DOMAIN}.DIRECT.GET.{kv_stream(OURS)}.$KV.{OURS}._position", {}),
    "its rows without a consumer": (
        f"{DOMAIN}.DIRECT.GET.{kv_stream(OURS)}", {"seq": 1, "batch": 10, "next_by_subj": MINE}),
    "a consumer": (
        f"{DOMAIN}.CONSUMER.CREATE.{kv_stream(OURS)}.x.{MINE}",
        {"stream_name": kv_stream(OURS), "config": {**PULL, "name": "x", "filter_subject": MINE}}),
    "the next rows": (f"{DOMAIN}.CONSUMER.MSG.NEXT.{kv_stream(OURS)}.x", {"batch": 10, "expires": 1_000_000_000}),
    "a report": ("cardtrail.reports.team=20a.trip", {"id": "x"}),
}  # fmt: skip


def test_an_answer_cannot_be_sent_to_a_subject_of_the_log() -> None:
    """The broker asks no permission for where its answers go: nothing that a planner may ask is answered outside its account."""
    stored = (
        "cardtrail.events.0.a.public.card-fetched.-", "cardtrail.decisions.trip.a", "cardtrail.reports.team-b.trip",
        f"$KV.{THEIRS}.routes.team-b.trip.quote", f"$KV.{OURS}.routes.team=20a.trip.quote",
        f"$JS.API.STREAM.PURGE.{kv_stream(OURS)}", "cardtrail.bodies.a.public.x",
    )  # fmt: skip

    async def story(held: Stage, planner: Bus) -> None:
        await held.route(candidate())
        await held.bus.tell([fetched()])
        nc, js = planner.connection.nc, held.bus.connection.js
        for subject, value in ASKED.values():
            inbox = nc.new_inbox()
            answers = await nc.subscribe(inbox)
            await nc.publish(subject, json.dumps(value).encode(), reply=inbox)
            assert "error" not in json.loads((await answers.next_msg(timeout=PATIENCE_S)).data)
            for target in stored:
                await nc.publish(subject, json.dumps(value).encode(), reply=target)
        await nc.request(ASKED["a report"][0], b"{}", timeout=PATIENCE_S)  # behind all of these
        names = ("CARDTRAIL_FACTS", "CARDTRAIL_BODIES", kv_stream(THEIRS), kv_stream(OURS))
        assert [(await js.stream_info(name)).state.messages for name in names] == [1, 0, 0, 2]
        reports = (await js.stream_info("CARDTRAIL_REPORTS", subjects_filter=">")).state
        assert reports.subjects == {"cardtrail.reports.team=20a.trip": len(stored) + 2}

    played(story)


def test_a_report_in_another_s_name_inside_its_own_is_for_the_observer_to_refuse() -> None:
    """The subject is what the broker attests: what a payload says beside it counts for nothing."""
    from cardtrail.events.errors import EventRefused
    from cardtrail.projections.projection import Rows
    from cardtrail.services.observer.receive import received

    forged = dump(Report(id="x", agent="pricing", workflow=TRIP, principal="team-b", calls=()))
    with pytest.raises(EventRefused) as refused:
        received(forged, "cardtrail.reports.team=20a.trip", Rows(), datetime.now(UTC))
    assert refused.value.code == "report-foreign"
