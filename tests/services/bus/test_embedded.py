"""The server child: ready when it says so, one per directory, gone when its parent is gone however that ends."""

import asyncio
import contextlib
import logging
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cardtrail.events.errors import CardtrailError, UsageError
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer, find_server
from cardtrail.services.bus.errors import BrokerUnreachable, StoreInUse
from tests.nats_server import SMALL, Server, server
from tests.services.bus.facts import fetched
from tests.streams import PATIENCE_S

PARENT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where this run was told to ignore it
from pathlib import Path
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
child = EmbeddedServer(Path(sys.argv[1]))
child.start()
print(child.pid, child.port, flush=True)
time.sleep(60)
"""


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
            return connection.recv(4) == b"INFO"
    except OSError:
        return False


def test_the_shipped_binary_is_found_and_runs() -> None:
    said = subprocess.run([find_server(), "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("nats-server: v2.15.")


def test_it_serves_once_started_and_no_longer_once_stopped() -> None:
    with server() as running:
        assert answers(running.port)
        assert running.url == f"nats://127.0.0.1:{running.port}"
    assert not answers(running.port)
    assert running.pid == 0


def test_once_it_is_stopped_nothing_is_written_to_its_folder_any_more() -> None:
    others = set(threading.enumerate())
    with server():
        assert set(threading.enumerate()) - others
    assert set(threading.enumerate()) <= others


def test_it_comes_back_on_the_same_port_after_kill_9() -> None:
    with server() as running:
        port = running.port
        running.kill()
        assert not answers(port)
        running.revive()
        assert (running.port, answers(port)) == (port, True)


def test_one_that_ends_by_itself_is_started_again_on_the_same_port_and_data_and_stop_still_stops_it(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        with Server(tmp_path, kept_alive=True) as running:
            async with Bus(running.url, streams=SMALL) as bus:
                await bus.tell([fetched()])
                for _ in range(2):
                    first = running.pid
                    running.kill()
                    assert await bus.tell([fetched()])
                    assert running.pid not in {0, first}
                assert (await bus.info()).last == 3
            last = os.pidfd_open(running.pid)
            running.stop()
            assert select.select([last], [], [], 0)[0]
            os.close(last)
            assert not answers(running.port)

    asyncio.run(run())


def test_one_that_is_stopped_has_not_ended_by_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "cardtrail.bus"), Server(tmp_path, kept_alive=True) as running:
        assert answers(running.port)
    assert caplog.messages == []


def test_one_that_cannot_be_started_again_is_tried_until_it_can(tmp_path: Path) -> None:
    """Its folder could not be written for a while: the file in the way makes each try fail, as a read-only disk does."""
    config, failed = tmp_path / "nats.conf", threading.Event()

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno == logging.CRITICAL:
                failed.set()

    async def run() -> None:
        with Server(tmp_path, kept_alive=True) as running:
            async with Bus(running.url, streams=SMALL, patience_s=PATIENCE_S) as bus:
                config.unlink()
                config.mkdir()
                running.kill()
                assert await asyncio.to_thread(failed.wait, PATIENCE_S)
                config.rmdir()
                assert await bus.tell([fetched()]) == [1]

    logger, heard = logging.getLogger("cardtrail.bus"), Heard()
    logger.addHandler(heard)
    try:
        asyncio.run(run())
    finally:
        logger.removeHandler(heard)


def test_one_that_could_not_write_is_started_anew_and_takes_facts_again(tmp_path: Path) -> None:
    async def run() -> None:
        with Server(tmp_path, kept_alive=True) as running:
            async with Bus(running.url, streams=SMALL) as bus:
                await bus.tell([fetched()])
                bus.patience_s = 0.5
                first = running.pid
                resource.prlimit(first, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))  # as a full disk would
                with contextlib.suppress(CardtrailError):
                    await bus.tell([fetched()])
                async with asyncio.timeout(PATIENCE_S):
                    while not await told(bus):
                        pass
                assert running.pid not in {0, first}

    asyncio.run(run())


async def told(bus: Bus) -> bool:
    try:
        return bool(await bus.tell([fetched()]))
    except CardtrailError:
        return False


def test_a_wanted_port_is_used_and_a_taken_one_is_an_error_with_the_servers_words() -> None:
    with socket.socket() as taken, tempfile.TemporaryDirectory() as directory:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(BrokerUnreachable, match="address already in use"):
            EmbeddedServer(Path(directory), port=taken.getsockname()[1]).start()


def test_a_second_server_on_the_same_directory_is_refused() -> None:
    with server() as running, pytest.raises(StoreInUse):
        EmbeddedServer(running.directory).start()


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_parent_however_that_ends(death: signal.Signals) -> None:
    with tempfile.TemporaryDirectory() as directory:
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT, directory], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert parent.stdout is not None
        pid, port = map(int, parent.stdout.readline().split())
        ended = os.pidfd_open(pid)
        try:
            assert answers(port)
            parent.send_signal(death)
            parent.wait()
            assert select.select([ended], [], [], PATIENCE_S)[0], "the server outlived its parent"
        finally:
            os.close(ended)
            parent.stdout.close()
        with EmbeddedServer(Path(directory)) as another:
            assert answers(another.port)


def test_ctrl_c_in_the_terminal_does_not_reach_the_server_before_us() -> None:
    with server() as running:
        assert os.getpgid(running.pid) != os.getpgid(0)


def test_passwords_in_the_configuration_are_for_the_owner_alone() -> None:
    with server() as running:
        assert (running.directory / "nats.conf").stat().st_mode & 0o077 == 0


def test_a_directory_that_would_break_out_of_the_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="quotes"):
        EmbeddedServer(tmp_path / 'a"} evil').start()


def test_what_was_acknowledged_is_flushed_to_disk_before() -> None:
    with server() as running:
        assert "sync_interval: always" in (running.directory / "nats.conf").read_text()
        host = urlsplit(running.url).hostname
        assert host == "127.0.0.1"
