"""The stories from curtain to curtain: agents, tracker and planner set up, each scene printed as it happens."""

import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from cardtrail.services.cli.shell.console import Console
from cardtrail.services.demo import cards, evidence, procurement, show, show_evidence, show_procurement, travel
from cardtrail.services.demo.stage import stage
from cardtrail.services.rebuild import verify_archive, verify_buckets


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "NATS_URL"}


async def procurement_story(console: Console, folder: Path) -> int:
    """How a procurement planner finds its agent; 0 when the last call cost one request."""
    async with stage(folder, procurement.HOSTS, _environment()) as back:
        procurement.publish(back.host, folder)
        console.hint("starting a NATS server, three agents, a registry and a login on HTTPS, and the tracker …")
        async with back.open(procurement.settings(back.host.port), "-") as held:
            held.folds = procurement.FOLDS
            console.lines(*show_procurement.sources(await procurement.sources(held), console.out))
            console.lines(*show_procurement.chosen(await procurement.candidates(held), console.out))
            console.lines(*show_procurement.extended(await procurement.card_of_our_own(held), console.out))
            last = await procurement.next_invoice(held)
            console.lines(*show_procurement.warm(last, console.out))
    return 0 if len(last.requests) == 1 else 1


async def evidence_story(console: Console, folder: Path) -> int:
    """Claims put to the test; 0 when the owner was told of the break once and of the repair once."""
    async with stage(folder, evidence.HOSTS, _environment()) as back:
        port = back.host.port
        back.environment = {**back.environment, **evidence.hook(port)}
        back.host.publish(cards.PRICING, cards.pricing(port))
        back.host.publish(cards.FARES, cards.fares(port))
        console.hint("starting a NATS server, two agents and a webhook on HTTPS, and the tracker …")
        async with back.open(evidence.settings(port), "trip-planner") as held:
            held.folds = evidence.FOLDS
            number = 0
            async for told in evidence.perform(held):
                if isinstance(told, evidence.Turn):
                    number += 1
                    console.lines(*show_evidence.turn(number, told, console.out))
                else:
                    console.lines(*show.opening(told, console.out))
            console.lines(*show.history(await held.facts(), "pricing"))
            told_once = [body["verdict"] for body in held.host.hooks]
    return 0 if told_once == ["breaking", "compatible"] else 1


async def travel_story(console: Console, folder: Path) -> int:
    """A lock and a card that changes; 0 when a replay gives the same stores."""
    async with stage(folder, (cards.PRICING, cards.FARES), _environment()) as back:
        port = back.host.port
        back.host.publish(cards.PRICING, cards.pricing(port))
        back.host.publish(cards.FARES, cards.fares(port))
        console.hint("starting a NATS server, two agents on HTTPS and the tracker …")
        async with back.open(travel.settings(port), travel.WORKFLOW) as held:
            number = 0
            async for told in travel.perform(held):
                if isinstance(told, travel.Scene):
                    number += 1
                    console.lines(*show.scene(number, told, console.out))
                else:
                    console.lines(*show.opening(told, console.out))
            console.lines(*show.history(await held.facts(), "pricing"))
            started = time.monotonic()
            compared = [
                *await verify_buckets(held.system.bus, "public"),
                await verify_archive(held.system.bus, folder / "anew"),
            ]
            console.lines(*show.replayed(compared, time.monotonic() - started, console.out))
    return 0 if all(one.live == one.rebuilt for one in compared) else 1


STORIES: dict[str, Callable[[Console, Path], Coroutine[Any, Any, int]]] = {
    "travel": travel_story,
    "procurement": procurement_story,
    "evidence": evidence_story,
}
"""By the name under which `cardtrail demo` knows them; each gives its exit code."""
