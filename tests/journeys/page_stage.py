"""A whole tracker with its page, for tests of what people see: run in a thread of its own, moved by the test step by step."""

import asyncio
import contextlib
import json
import os
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from cardtrail.events import ChangeAcknowledged
from cardtrail.services.bus.questions import ask
from cardtrail.services.demo import cards
from cardtrail.services.service import HEALTH
from cardtrail.services.telling import operator_fact
from cardtrail.services.web.whereabouts import found
from tests.journeys.tracked import Tracked, tracking
from tests.streams import PATIENCE_S

T = TypeVar("T")
NAMES = {"pricing": cards.PRICING, "fares": cards.FARES, "evil": "evil.example", "gone": "gone.example"}
_READY_S = 120.0
"""Longer than the tracker itself waits for its services."""


class Got(NamedTuple):
    """An answer: status, headers in lower case, body."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Shows redirects instead of following them."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass
class PageStage:
    """The running example; `do` runs a coroutine in the tracker's loop."""

    tracked: Tracked
    loop: asyncio.AbstractEventLoop
    folder: Path
    url: str = ""

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run it there, wait here."""
        found: Future[T] = asyncio.run_coroutine_threadsafe(work, self.loop)
        return found.result(PATIENCE_S)

    def get(self, path: str, **headers: str) -> Got:
        """GET, redirects shown."""
        return self.ask("GET", path, None, headers)

    def post(self, path: str, form: str, **headers: str) -> Got:
        """POST a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, form.encode(), kind | headers)

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Got:
        """Any request; underscores in header names stand for dashes."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, body, told, method=method)  # noqa: S310 — our own page
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay)
        try:
            with opener.open(request, timeout=PATIENCE_S) as answer:
                return Got(answer.status, _lower(answer.headers), answer.read().decode())
        except urllib.error.HTTPError as error:
            return Got(error.code, _lower(error.headers), error.read().decode())

    def look(self, agent: str) -> int:
        """Have an agent looked at; returns once the page shows all that follows."""
        sequence = self.do(self.tracked.look(agent)).sequence
        self.shows(sequence)
        return sequence

    def tell(self, *events: Any) -> int:
        """Tell operators' facts; returns once the page shows them."""
        facts = [operator_fact(event, "test") for event in events]
        sequence = self.do(self.tracked.system.bus.tell(facts))[-1]
        self.shows(sequence)
        return sequence

    def shows(self, sequence: int) -> None:
        """Wait until the page has read the log that far."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            last = self.do(self._last())
            if self.get("/fleet.json").json.get("through", 0) >= last >= sequence and self.do(self._read()) >= last:
                return
            time.sleep(0.02)
        raise AssertionError(f"the page does not show fact {sequence}")

    def accepted(self) -> list[str]:
        """The reasons of everything that was ever acknowledged."""
        events = [one.fact.data for one in self.do(self.tracked.facts())]
        return [event.reason for event in events if isinstance(event, ChangeAcknowledged)]

    def until(self, path: str, holds: Callable[[Any], bool]) -> None:
        """Wait until a JSON answer says something."""
        end = time.monotonic() + PATIENCE_S
        while (got := self.get(path)).status != HTTPStatus.OK or not holds(got.json):
            assert time.monotonic() < end, path
            time.sleep(0.02)

    @contextlib.contextmanager
    def broker_stopped(self) -> Iterator[None]:
        """The broker as if its machine hung: its process is there, and does nothing."""
        (pid,) = [
            int(found.name)
            for found in Path("/proc").iterdir()
            if found.name.isdigit() and _is_ours(found, self.folder)
        ]
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def decision(self, workflow: str) -> str:
        """The path of the decision that stands for the workflow whose name begins so."""
        rows = self.get("/fleet.json").json["rows"]
        return next(f"/decisions/{row['decision']}" for row in rows if row["workflow"].startswith(workflow))

    async def _last(self) -> int:
        return (await self.tracked.system.bus.info()).last

    async def _read(self) -> int:
        told = await ask(self.tracked.system.bus, f"{HEALTH}.web", {})
        return int(told["folds"]["page"]["position"])


@contextlib.contextmanager
def page_stage(folder: Path, settings: str = "") -> Iterator[PageStage]:
    """Everything started, the story told up to a breaking decision."""
    ready: Future[PageStage] = Future()
    end: list[asyncio.Event] = []

    async def play() -> None:
        end.append(asyncio.Event())
        async with tracking(folder, NAMES, f"[web]\nport = 0\n{settings}") as tracked:
            ready.set_result(PageStage(tracked, asyncio.get_running_loop(), folder))
            await end[0].wait()

    def run() -> None:
        try:
            asyncio.run(play())
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    thread = threading.Thread(target=run)
    thread.start()
    stage = ready.result(_READY_S)
    try:
        stage.url = _address(folder)
        yield stage
    finally:
        stage.loop.call_soon_threadsafe(end[0].set)
        thread.join(PATIENCE_S)


def _address(folder: Path) -> str:
    end = time.monotonic() + PATIENCE_S
    while not (url := found(folder / "cardtrail-data")) and time.monotonic() < end:
        time.sleep(0.02)
    return url


def _is_ours(process: Path, folder: Path) -> bool:
    """Whether this is the nats-server that keeps its files in our folder."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"nats-server") and any(os.fsencode(folder) in word for word in words)


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
