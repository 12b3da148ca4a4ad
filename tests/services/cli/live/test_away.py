"""What an operator reads when there is nothing to talk to: which of three things is missing, and what to do."""

import asyncio
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from socket import socket

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import find_server
from tests.nats_server import SMALL, server
from tests.services.cli.program import cardtrail

COMMANDS_OF_AN_OPERATOR = {
    "status": [],
    "agents": [],
    "watch": [],
    "replay": [],
    "history": ["pricing"],
    "show": ["pricing"],
    "refresh": ["pricing"],
    "untrack": ["pricing"],
    "release": ["trip"],
    "ack": ["5d7e02b1", "--reason", "r"],
    "track": ["https://pricing.partner.example"],
}


@pytest.fixture
def deaf() -> Iterator[int]:
    """A port that nobody listens on, and that nobody else can get meanwhile."""
    with socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


@pytest.mark.parametrize("name", COMMANDS_OF_AN_OPERATOR)
def test_a_broker_that_is_away_is_said_at_once(name: str, deaf: int, tmp_path: Path) -> None:
    url = f"nats://somebody:secret@127.0.0.1:{deaf}"
    done = cardtrail(name, *COMMANDS_OF_AN_OPERATOR[name], cwd=tmp_path, NATS_URL=url)
    assert done.code == 4
    first, hint = done.err.splitlines()
    assert first == f"error[broker-unreachable] nats://{url.rpartition('@')[2]}: refused"
    assert hint == "hint: cardtrail up, or set NATS_URL"


def test_the_address_that_up_has_left_is_used(deaf: int, tmp_path: Path) -> None:
    (tmp_path / "cardtrail-data").mkdir()
    (tmp_path / "cardtrail-data" / "endpoint").write_text(f"nats://127.0.0.1:{deaf}")
    done = cardtrail("status", cwd=tmp_path)
    assert (tmp_path / "cardtrail-data" / "endpoint").read_text() in done.err


def test_a_doctor_names_the_broker_that_is_away_and_fails(deaf: int, tmp_path: Path) -> None:
    done = cardtrail("doctor", "--json", cwd=tmp_path, NATS_URL=f"nats://u:secret@127.0.0.1:{deaf}")
    assert done.code == 1
    assert [check["name"] for check in done.json["checks"] if check["level"] == "failed"] == ["broker"]
    assert "secret" not in done.out


def test_a_broker_without_a_log_is_told_from_one_that_is_away(tmp_path: Path) -> None:
    with server() as running:
        done = cardtrail("status", "--json", cwd=tmp_path, NATS_URL=running.url)
        assert (done.code, done.json["error"]["code"]) == (4, "log-missing")


def test_a_broker_without_jetstream_is_told_too(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = subprocess.Popen(
            [str(find_server()), "-a", "127.0.0.1", "-p", "-1"], cwd=folder, stderr=subprocess.PIPE, text=True
        )
        try:
            assert plain.stderr is not None
            said = ""
            while "Server is ready" not in said and (line := plain.stderr.readline()):
                said += line
            port = said.partition("Listening for client connections on 127.0.0.1:")[2].split()[0]
            done = cardtrail("status", "--json", cwd=tmp_path, NATS_URL=f"nats://127.0.0.1:{port}")
        finally:
            plain.terminate()
            plain.communicate()
    assert (done.code, done.json["error"]["code"]) == (4, "jetstream-off")


@pytest.mark.parametrize("url", ["nats://", "http://127.0.0.1", "nats://host:port"])
def test_what_is_no_address_is_a_usage_error(url: str, tmp_path: Path) -> None:
    done = cardtrail("status", "--json", cwd=tmp_path, NATS_URL=url)
    assert (done.code, done.json["error"]["code"]) == (2, "broker-url")


def test_an_empty_log_is_no_error(tmp_path: Path) -> None:
    async def prepare(url: str) -> None:
        async with Bus(url, streams=SMALL):
            pass

    with server() as running:
        asyncio.run(prepare(running.url))
        status, agents = (cardtrail(name, cwd=tmp_path, NATS_URL=running.url) for name in ("status", "agents"))
        *silent, last = status.out.splitlines()
        assert (status.code, last) == (0, "no lock; 0 agents: none watched; lag 0.0 s")
        assert [line.split()[1] for line in silent] == ["compiler", "decider", "projector"], "nobody is at work"
        assert agents.out == "0 agents\n"
        done = cardtrail("history", "pricing", cwd=tmp_path, NATS_URL=running.url)
        assert (done.code, done.err.splitlines()[1]) == (2, "hint: cardtrail track TARGET")
