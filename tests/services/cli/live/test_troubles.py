"""Where a service does not keep what `status` shows, status says so in doctor's words, and says nothing where all is well."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.services.bus.questions import answer
from cardtrail.services.cli.live.standing import status
from cardtrail.services.cli.live.status_text import lines
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.data_folder import audited
from cardtrail.services.planner.pulse import PATH
from cardtrail.services.service import HEALTH
from cardtrail.services.settings import BrokerSettings, Settings
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus

WELL: dict[str, Any] = {"failing": "", "silent_s": 0.4}
TEAM = "routes/team-b"


async def said(folds: dict[str, dict[str, Any]], answering: tuple[str, ...], data: Path) -> list[str]:
    """The lines of `status` while these services answer, each with these folds."""
    async with fresh_bus() as (bus, server):
        target = Target(kind="document", value="no card")
        await bus.tell([operator_fact(AgentTracked(agent="pricing", target=target), "test")])
        stop = asyncio.Event()

        async def health(question: dict[str, Any]) -> dict[str, Any]:
            return {"folds": folds}

        services = [asyncio.create_task(answer(bus, f"{HEALTH}.{name}", health, stop)) for name in answering]
        tracker = Tracker(Settings(broker=BrokerSettings(data=data)), server.url, bus, await bus.info())
        found = await status(tracker)
        stop.set()
        await asyncio.gather(*services)
        return [line for line in lines(found, Style(columns=0, colour=False)) if not line.startswith("no lock")]


@pytest.mark.parametrize(
    ("folds", "answering", "says", "fix"),
    [
        ({TEAM: WELL}, PATH, "", ""),
        ({TEAM: {**WELL, "failing": "no room"}}, PATH, f"{TEAM} cannot be kept (no room)", "fix: mend what it names"),
        ({TEAM: {**WELL, "silent_s": 45.0}}, PATH, f"{TEAM} has stood still for 45 s", "fix: restart it"),
        (
            {TEAM: {**WELL, "parked": 2}},
            PATH,
            f"holds facts back that it cannot apply ({TEAM} 2)",
            "cardtrail replay --parked",
        ),
        ({}, ("compiler", "decider"), "does not answer", "fix: cardtrail run projector"),
    ],
)
def test_what_does_not_keep_the_rows_is_said_with_what_to_do(
    folds: dict[str, dict[str, Any]], answering: tuple[str, ...], says: str, fix: str, tmp_path: Path
) -> None:
    found = asyncio.run(said(folds, answering, tmp_path))
    assert bool(found) is bool(says)
    assert all(says in line and fix in line for line in found)
    assert not found or any("projector" in line for line in found)


def test_of_a_log_that_is_served_for_an_audit_nobody_decides_and_that_is_no_trouble(tmp_path: Path) -> None:
    with audited(tmp_path, audit=True):
        assert asyncio.run(said({}, ("projector",), tmp_path)) == []
