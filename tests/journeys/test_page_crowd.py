"""The page before five hundred agents with their locks, in a real browser: the last to run of what shares one tracker."""

import json
import os
import time
from pathlib import Path

import pytest

from cardtrail.events import AgentTracked, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.services.telling import operator_fact
from cardtrail.services.verdict.lock import lock_digest
from tests.browser import Browser, Page
from tests.journeys.page_stage import PageStage
from tests.services.cli.cards import card

AGENTS = 500
_PATIENCE_S = 240.0


def crowd() -> list[AgentTracked | LockfilePinned]:
    """Every agent with a card of its own; every third lock needs what no card offers."""
    told: list[AgentTracked | LockfilePinned] = []
    for number in range(AGENTS):
        name = f"crowd-{number}"
        held = card(
            name=f"Agent {number}", version=f"1.{number}.0", provider={"organization": f"Provider {number % 60}"}
        )
        target = Target(kind="document", value=json.dumps(held))
        needs = {"itinerary-pricing": SkillNeed(input=("application/json" if number % 3 else "image/png",))}
        lock = Lockfile(
            agent=name,
            workflow=f"flow-{number % 40}",
            principal="crowd",
            owner=f"owner-{number % 20}",
            interface=LockedInterface(binding="JSONRPC", version="1.0"),
            requires=Requires(skills=needs),
        )
        told.append(AgentTracked(agent=name, principal="crowd", target=target))
        pinned = {"workflow": lock.workflow, "lockfile": lock, "lock_digest": lock_digest(lock)}
        told.append(LockfilePinned(agent=name, principal="crowd", **pinned))
    return told


def loaded(page: Page, url: str) -> float:
    """Milliseconds from the beginning until the page is there."""
    page.go(url)
    return float(page.read("performance.getEntriesByType('navigation')[0].loadEventEnd"))


def test_five_hundred_agents_within_a_second(site: PageStage, browser: Browser, tmp_path: Path) -> None:
    site.do(site.tracked.system.bus.tell([operator_fact(event, "test") for event in crowd()]))
    end = time.monotonic() + _PATIENCE_S
    while (shown := site.get("/fleet.json?principal=crowd").json)["verdicts"]["pending"] or shown["total"] != AGENTS:
        assert time.monotonic() < end, shown["verdicts"]
        time.sleep(0.1)
    assert min(shown["verdicts"][word] for word in ("breaking", "compatible")) > 100
    page, url, plain = browser.page(), f"{site.url}/?principal=crowd", tmp_path / "plain.html"
    plain.write_text(site.get("/?principal=crowd").text, "utf-8")
    took, yard = zip(*((loaded(page, url), loaded(page, plain.as_uri())) for _ in range(5)), strict=True)
    page.go(url)
    assert page.read("document.querySelectorAll('tbody tr').length") == AGENTS
    print(f"ms until loaded: {[round(one) for one in took]}, from a file: {[round(one) for one in yard]}")
    slow = max(1.0, 4 * min(yard) / 1_000)  # of a second, a quarter at most is the browser's own
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1) and min(took) >= slow * 1_000:
        pytest.skip("this machine is busy with other things")
    assert min(took) < slow * 1_000
