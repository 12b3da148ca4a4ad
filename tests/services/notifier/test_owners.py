"""What leaves for an owner, on real sockets: a webhook over TLS, a broker that keeps what was told, a clock that we turn."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cardtrail.events import ChangeAcknowledged, OwnerNotified
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.follow import follow
from cardtrail.services.notifier.deliver import Channel
from cardtrail.services.notifier.owners import Owners
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.settings import LimitSettings, NoticeSettings, TlsSettings
from tests.liar_proxy import LiarProxy
from tests.nats_server import fresh_bus
from tests.projections.log import START
from tests.services.notifier.test_notices import Scene, finding

HOST = "hooks.ours.example"
HOUR = 7
SEVEN = START.replace(hour=HOUR, minute=0) + timedelta(days=1)
QUIET = {"verdict": "review", "action": "probe", "digest_only": True}


@dataclass
class Desk:
    """The fold with one channel before it."""

    scene: Scene
    owners: Owners
    hook: LiarProxy
    bus: Bus
    now: datetime = START
    told: list[OwnerNotified] = field(default_factory=list)

    async def serve(self, at: datetime | None = None) -> float | None:
        """Send what is ripe at this instant; what was told comes back over the log."""
        self.now = at or self.now + timedelta(seconds=1)
        wait_s = await self.owners.serve(self.scene.rows)
        known = len(self.told)
        last = (await self.bus.info()).last
        if last > known:
            async for message in follow(self.bus, "cardtrail.events.>", known):
                event = decode(message.data).data
                assert isinstance(event, OwnerNotified)
                self.told.append(event)
                self.scene.apply(event)
                if message.sequence == last:
                    break
        return wait_s

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body in self.hook.hooks]

    @property
    def keys(self) -> list[str]:
        return [headers["idempotency-key"] for headers, _ in self.hook.hooks]


def play(story: Callable[[Desk], Awaitable[None]], kind: str = "json", *, port: int = 0) -> None:
    async def run() -> None:
        with LiarProxy(1, HOST) as hook:
            limits, tls = LimitSettings(), TlsSettings(ca_bundle=hook.ca_file, only=True)
            async with Door(limits, tls, resolver=static_names({HOST: "127.0.0.1"})) as door, fresh_bus() as (bus, _):
                url = f"https://{HOST}:{port or hook.port}/hook"
                channel = Channel("team", kind, url, EndpointPolicy(cidrs=("127.0.0.0/8",)))
                desk = Desk(Scene(), Owners(channel, bus, door.open, NoticeSettings(), lambda: desk.now), hook, bus)
                await story(desk)

    asyncio.run(run())


def test_what_disturbs_nobody_is_one_message_a_day_at_its_hour() -> None:
    async def story(desk: Desk) -> None:
        first = desk.scene.decide(finding("a", "review"), agent="pricing", **QUIET)
        desk.scene.decide(finding("b", "review"), agent="fares", **QUIET)
        desk.scene.decide(finding("c", "review"), agent="hotels", **QUIET)
        desk.scene.apply(ChangeAcknowledged(agent="hotels", workflow="trip", fingerprint="c", reason="ok", by="mira"))
        for hours in range(23):
            assert await desk.serve(START + timedelta(hours=hours, seconds=-1)) is None
        assert desk.bodies == []
        desk.hook.hook_answers = [(503, {}), (200, {})]
        wait_s = await desk.serve(SEVEN)
        assert wait_s is not None
        assert await desk.serve(SEVEN + timedelta(seconds=wait_s)) is None
        assert len(set(desk.keys)) == 1
        digest = desk.bodies[-1]
        assert digest["format"] == "cardtrail.digest/1"
        assert [one["agent"] for one in digest["notifications"]] == ["pricing", "fares"]
        assert digest["notifications"][0]["decision"] == str(first.fact.id)
        assert [(one.agent, one.attempts, one.status) for one in desk.told] == [("pricing", 2, 200), ("fares", 2, 200)]
        for days in range(3):
            await desk.serve(SEVEN + timedelta(days=days, hours=1))
        assert len(desk.bodies) == 2

    play(story)


def test_a_break_does_not_wait_for_the_digest_and_is_in_none() -> None:
    async def story(desk: Desk) -> None:
        desk.scene.decide(finding("a", "review"), agent="fares", **QUIET)
        broken = desk.scene.decide(finding("b"), agent="pricing")
        await desk.serve()
        assert desk.keys == [str(broken.fact.id)]
        await desk.serve(SEVEN)
        assert [one["text"].splitlines()[0] for one in desk.bodies[1:]] == [
            f"*1 changes that could wait ({SEVEN.date()})*"
        ]
        assert "fares" in desk.bodies[1]["text"]
        assert "pricing" not in desk.bodies[1]["text"]

    play(story, "slack")


def test_a_webhook_that_asks_to_be_left_alone_is_left_alone_and_told_under_the_same_key() -> None:
    async def story(desk: Desk) -> None:
        decision = desk.scene.decide(finding("a"))
        desk.hook.hook_answers = [(429, {"Retry-After": "90"}), (500, {}), (200, {})]
        assert await desk.serve(START) == 90
        for second in (1, 30, 89):
            await desk.serve(START + timedelta(seconds=second))
        assert len(desk.keys) == 1
        wait_s = await desk.serve(START + timedelta(seconds=90))
        assert wait_s == 2
        await desk.serve(START + timedelta(seconds=92))
        assert desk.keys == [str(decision.fact.id)] * 3
        assert [(one.status, one.attempts, one.problem) for one in desk.told] == [(200, 3, "")]

    play(story)


def test_a_finding_is_sent_once_whatever_else_is_decided_and_never_when_accepted() -> None:
    async def story(desk: Desk) -> None:
        desk.scene.decide(finding("a"))
        await desk.serve()
        desk.scene.decide(finding("a"))
        await desk.serve()
        desk.scene.decide(finding("a"), finding("b"), finding("c", "review"))
        desk.scene.apply(ChangeAcknowledged(agent="pricing", workflow="trip", fingerprint="c", reason="ok", by="mira"))
        await desk.serve()
        sent = [[one["fingerprint"] for one in body["findings"]] for body in desk.bodies]
        assert sent == [["a"], ["b"]]
        desk.scene.apply(ChangeAcknowledged(agent="pricing", workflow="trip", fingerprint="b", reason="ok", by="mira"))
        desk.scene.decide(finding("b"), finding("c", "review"))
        await desk.serve()
        assert len(desk.bodies) == 2
        assert [list(one.fingerprints) for one in desk.told] == sent

    play(story)


def test_a_log_that_is_read_again_from_its_start_sends_nothing() -> None:
    async def story(desk: Desk) -> None:
        for name in "abc":
            desk.scene.decide(finding(name), agent=name)
            await desk.serve()
        again = Scene()
        for stored in desk.scene.log.facts:
            again.apply(stored.fact.data)
        desk.scene = again
        await desk.serve()
        await desk.serve(SEVEN)
        assert len(desk.bodies) == 3

    play(story)


def test_attempts_are_counted_for_what_still_waits_and_for_nothing_else() -> None:
    async def story(desk: Desk) -> None:
        for number in range(20):
            desk.scene.decide(finding(f"f{number}"))
            wait_s = await desk.serve(START + timedelta(hours=number))
            assert wait_s is not None
            assert len(desk.owners.attempts) == 1, (
                "of each decision that another one has taken the place of, none is left"
            )
        desk.hook.hook_answers = [(200, {})]
        await desk.serve(START + timedelta(hours=20))
        await desk.serve(START + timedelta(hours=21))
        assert [one.attempts for one in desk.told] == [2]
        assert desk.owners.attempts == {}

    async def refusing(desk: Desk) -> None:
        desk.hook.hook_answers = [(503, {})] * 20
        await story(desk)

    play(refusing)


def test_a_webhook_that_is_never_there_is_given_up_once_and_said_so() -> None:
    async def story(desk: Desk) -> None:
        desk.scene.decide(finding("a"))
        assert await desk.serve(START) == 1
        assert desk.told == []
        await desk.serve(START + timedelta(days=2))
        (given_up,) = desk.told
        assert (given_up.status, given_up.attempts) == (0, 2)
        assert given_up.problem.startswith("gave-up: ")
        assert HOST not in given_up.problem
        await desk.serve(START + timedelta(days=3))
        assert len(desk.told) == 1

    play(story, port=1)
