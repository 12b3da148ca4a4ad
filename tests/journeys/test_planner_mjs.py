"""A planner in another language, with NATS and the published shapes alone, under a planner's account."""

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cardtrail.services.bus.snapshot import snapshot
from cardtrail.services.cli.catalogue.schemas import schemas
from tests.house.tree import ROOT
from tests.services.planner.routes import SKILL, candidate, stopped
from tests.services.planner.stage import PRINCIPAL, TRIP, Stage, stage
from tests.streams import PATIENCE_S

EXAMPLE = ROOT / "examples" / "planner.mjs"
PACKAGE = "@nats-io/transport-node@3.3"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The example with its one dependency beside it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not here")
    folder = tmp_path_factory.mktemp("mjs")
    (folder / "package.json").write_text('{"private": true}')
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=20000", PACKAGE],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"the registry does not give {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    shutil.copy(EXAMPLE, folder)
    return [node, str(folder / EXAMPLE.name)]


@contextlib.asynccontextmanager
async def running(held: Stage, program: list[str]) -> AsyncIterator[asyncio.StreamReader]:
    child = await asyncio.create_subprocess_exec(
        *program, held.server.url, TRIP, PRINCIPAL, "ours", "o", stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    try:
        yield child.stdout
    finally:
        if child.returncode is None:
            child.kill()
        await child.stdout.read()  # to its end: the pipe is closed, too
        await child.wait()


async def said(lines: asyncio.StreamReader) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(await lines.readline())
    return told


def fresh(**members: Any) -> Any:
    return candidate(stale_after=datetime.now(UTC) + timedelta(days=1), watched="pricing-watched", **members)


async def story(program: list[str]) -> None:
    async with stage() as held, asyncio.timeout(2 * PATIENCE_S):
        await held.route(fresh())
        await held.route(fresh(), skill="book", workflow="another")
        async with running(held, program) as lines:
            assert await said(lines) == {
                "kind": "route", "skill": SKILL, "use": "pricing", "answer": "nobody", "through": 1,
            }  # fmt: skip
            assert (await said(lines))["kind"] == "reported"
            assert await said(lines) == {"kind": "caught-up", "skills": [SKILL]}
            await held.route(stopped())
            assert (await said(lines))["use"] is None
            await held.withdraw()
            assert await said(lines) == {"kind": "withdrawn", "skill": SKILL}
            await held.dies()
            assert (await said(lines))["kind"] == "blind"
            await held.revives()
            await held.route(fresh())
            while (told := await said(lines))["kind"] != "caught-up":
                last = told
            assert (last["kind"], last["skill"]) == ("route", SKILL)
            many = [f"step-{number}" for number in range(300)]  # more than one request asks for
            for skill in many:
                await held.route(fresh(), skill=skill)
            assert [(await said(lines))["skill"] for _ in many] == many
        await shapes_are_those_published(held)


async def shapes_are_those_published(held: Stage) -> None:
    js = held.bus.connection.js
    report = json.loads((await js.get_msg("CARDTRAIL_REPORTS", seq=1)).data or b"")
    assert report["agent"] == "pricing-watched"
    Draft202012Validator(schemas()["calls"]()).validate(report)
    values = await snapshot(held.bus.connection, *_bucket())
    assert values
    for value in values:
        Draft202012Validator(schemas()["value.route"]()).validate(json.loads(value.data))


def _bucket() -> tuple[str, str]:
    from cardtrail.services.bus.names import bucket_name, kv_stream, kv_subject

    bucket = bucket_name("routes", PRINCIPAL)
    return kv_stream(bucket), kv_subject(bucket, "routes.>")


def test_a_planner_in_javascript_follows_its_routes_and_reports(program: list[str]) -> None:
    asyncio.run(story(program))


def test_the_example_is_short() -> None:
    code = [line for line in EXAMPLE.read_text().splitlines() if line.strip() and not line.strip().startswith("//")]
    assert len(code) <= 80


def test_its_names_are_those_of_the_tracker(program: list[str], tmp_path: Path) -> None:
    """The spelling of tokens and buckets, tried on what is hard to spell."""
    from cardtrail.events.subjects import token
    from cardtrail.services.bus.names import bucket_name

    source = Path(program[1]).read_text()
    start, end = source.index("const sha256"), source.index("const say")
    names = ["public", "team a", "ümläut", "", "a.b*c>", "x" * 200, "_under"]
    body = 'import { createHash } from "node:crypto";\nfor (const principal of JSON.parse(process.argv[2])) {\n'
    body += source[start:end] + "console.log(JSON.stringify([token(principal), bucket]));\n}\n"
    file = tmp_path / "names.mjs"
    file.write_text(body)
    done = subprocess.run([program[0], file, json.dumps(names)], capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [token(name), bucket_name("routes", name)] for name in names
    ]
