"""`watch` over a broker that is killed: said, resumed, nothing missed and nothing twice (hazard J147)."""

import asyncio
import json
import os
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from cardtrail.events import ChangeDecided
from cardtrail.services.bus.bus import Bus
from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.telling import operator_fact
from tests.nats_server import SMALL, Server, server
from tests.projections.facts import decided
from tests.projections.log import Log
from tests.services.cli.program import START


def tell(url: str, verdict: str, previous: str | None) -> None:
    event = decided(Log(), verdict, "probe", "agent-version-changed", previous=previous).fact.data
    assert isinstance(event, ChangeDecided)

    async def told() -> None:
        async with Bus(url, streams=SMALL) as bus:
            await bus.tell([operator_fact(event, "test")])

    asyncio.run(told())


@contextmanager
def watching(running: Server, folder: Path, *more: str) -> Iterator[Iterator[dict[str, Any]]]:
    command = [sys.executable, "-c", START, "watch", "--json", "--since", "1d", *more]
    process = subprocess.Popen(
        command, cwd=folder, env={"NATS_URL": running.url}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield (json.loads(line) for line in process.stdout)
    finally:
        process.terminate()
        process.communicate()


def test_a_killed_broker_is_told_and_nothing_is_missed(tmp_path: Path) -> None:
    with server() as running:
        tell(running.url, "review", None)
        with watching(running, tmp_path) as seen:
            first = next(seen)
            running.kill()
            lost = next(seen)
            running.revive()
            tell(running.url, "compatible", "review")
            back, second = sorted([next(seen), next(seen)], key=lambda line: line["what"])
    validator = Draft202012Validator(schemas()["watch"]())
    assert [validator.is_valid(line) for line in (first, lost, back, second)] == [True] * 4
    assert (first["verdict"], first["workflow"], first["findings"][0]["rule"]) == (
        "review",
        "trip",
        "agent-version-changed",
    )
    assert (lost["what"], lost["after"]) == ("lost", first["sequence"])
    assert (back["what"], second["verdict"], second["sequence"]) == ("back", "compatible", first["sequence"] + 1)


def test_a_workflow_without_a_lock_is_refused_before_anything_is_watched(tmp_path: Path) -> None:
    with server() as running:
        tell(running.url, "review", None)
        refused = subprocess.run(
            [sys.executable, "-c", START, "watch", "--json", "--workflow", "trip"],
            cwd=tmp_path,
            env={"NATS_URL": running.url},
            capture_output=True,
            check=False,
        )
    assert refused.returncode == 2
    assert json.loads(refused.stdout)["error"]["code"] == "workflow-unknown"


def test_a_person_is_told_that_it_watches_before_anything_is_decided(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with server() as running:
        tell(running.url, "review", None)
        command = [sys.executable, "-c", START, "watch"]
        process = subprocess.Popen(
            command, cwd=tmp_path, env={"NATS_URL": running.url}, stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        try:
            said = b""
            while b"Ctrl-C ends" not in said:
                said += os.read(ours, 1024)
        finally:
            process.terminate()
            process.communicate()
            os.close(ours)
    assert b"watching everything for decisions; Ctrl-C ends" in said
