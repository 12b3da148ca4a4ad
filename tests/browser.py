"""A real browser for tests: a headless Chromium driven over its own debugging pipe, without a library between.

    with Browser.started() as browser:
        page = browser.page()
        page.go("http://127.0.0.1:8484/")
        assert page.read("document.title") == "Fleet · Cardtrail"

What a page must never do is collected as it happens: `dialogs`, `requests` (every URL asked for) and `complaints` (console
errors, exceptions, violations of the content security policy).
"""

import base64
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from tests.streams import PATIENCE_S

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-default-apps --disable-dev-shm-usage --remote-debugging-pipe"
)
_KEYS = {"Enter": 13, "Tab": 9, "Escape": 27}
_ANSWER_S = 2 * PATIENCE_S


def found() -> str | None:
    """The program, None where this machine has none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One process; every page is a tab of its own profile."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._pages: dict[str, Page] = {}
        self.news = threading.Condition()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """A fresh one with a fresh profile."""
        program = found()
        assert program is not None
        to_child, ours_out = os.pipe()
        ours_in, from_child = os.pipe()
        with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            command = f'exec "$0" "$@" 3<&{to_child} 4>&{from_child}'
            words = ["bash", "-c", command, program, *_FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
            process = subprocess.Popen(
                words, pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            os.close(to_child)
            os.close(from_child)
            browser = cls(ours_out, ours_in)
            try:
                yield browser
            finally:
                os.close(ours_out)
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                browser._listening.join(PATIENCE_S)
                os.close(ours_in)  # not before: another's file may get the number, and be read

    def page(self) -> "Page":
        """A new tab with cookies and storage of its own."""
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, context)
        self._pages[session] = page
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.ask(f"{domain}.enable")
        return page

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """One command and its result."""
        with self.news:
            self._number += 1
            number = self._number
            message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
            os.write(self._write, json.dumps(message).encode() + b"\0")
            assert self.news.wait_for(lambda: number in self._answers, _ANSWER_S), f"{method} was not answered"
            answer = self._answers.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return dict(answer["result"])

    def _listen(self) -> None:
        held = b""
        while chunk := self._chunk():
            *whole, held = (held + chunk).split(b"\0")
            with self.news:
                for message in map(json.loads, whole):
                    if "id" in message:
                        self._answers[message["id"]] = message
                    elif (page := self._pages.get(message.get("sessionId", ""))) is not None:
                        page.heard(message["method"], message["params"])
                self.news.notify_all()

    def _chunk(self) -> bytes:
        try:
            return os.read(self._read, 1 << 16)
        except OSError:
            return b""


class Page:
    """One tab, and what it has done."""

    def __init__(self, browser: Browser, session: str, context: str) -> None:
        self._browser, self._session, self._context = browser, session, context
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loads = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """One command to this tab."""
        return self._browser.ask(method, self._session, **params)

    def heard(self, method: str, params: dict[str, Any]) -> None:
        """What the browser tells of itself."""
        match method:
            case "Page.loadEventFired":
                self._loads += 1
            case "Page.javascriptDialogOpening":
                self.dialogs.append(params["message"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"])[:400])
            case "Log.entryAdded" if params["entry"]["level"] in {"error", "warning"}:
                self.complaints.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled" if params["type"] in {"error", "warning", "assert"}:
                self.complaints.append(json.dumps(params["args"])[:400])
            case _:
                pass

    def go(self, url: str) -> None:
        """Load a page and wait until it is there."""
        self.acting(lambda: self.ask("Page.navigate", url=url))

    def acting(self, act: Callable[[], Any]) -> None:
        """Do something that loads another page, and wait for it."""
        before = self._loads
        act()
        self._await(lambda: self._loads > before, "the page did not load")

    def read(self, expression: str) -> Any:
        """The value of an expression, as JSON; promises are awaited."""
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression: str, within_s: float = PATIENCE_S) -> None:
        """Wait inside the page until an expression holds; it is asked at each frame."""
        wait = f"""new Promise((done, fail) => {{ const end = performance.now() + {within_s * 1000};
            const look = () => {{ if ({expression}) done(true); else if (performance.now() > end) done(false);
            else setTimeout(look, 20); }}; look(); }})"""
        assert self.read(wait), f"never: {expression}"

    def press(self, key: str) -> None:
        """One key, down and up."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = {"windowsVirtualKeyCode": _KEYS[key]} if key in _KEYS else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self.ask("Input.insertText", text=text)

    def allow_clipboard(self, origin: str) -> None:
        """What a reader's click would allow."""
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        self._browser.ask(
            "Browser.grantPermissions", permissions=permissions, origin=origin, browserContextId=self._context
        )

    def cut(self, expression: str) -> None:
        """Evaluate without waiting for what comes of it."""
        self.ask("Runtime.evaluate", expression=f"void ({expression})")

    def close(self) -> None:
        """The tab and its profile are gone."""
        self._browser.ask("Target.disposeBrowserContext", browserContextId=self._context)

    def media(self, **features: str) -> None:
        """What the reader prefers: `prefers-color-scheme` and the like, underscores for dashes; `medium` = `print`."""
        medium = features.pop("medium", "")
        told = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.ask("Emulation.setEmulatedMedia", media=medium, features=told)

    def size(self, width: int, height: int = 900) -> None:
        """The window, CSS pixels."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scripts(self, *, on: bool) -> None:
        """Whether pages may run scripts from the next load on."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not on)

    def block(self, *parts: str) -> None:
        """Let no request leave whose URL holds one of these."""
        self.ask("Network.setBlockedURLs", urls=[f"*{part}*" for part in parts])

    def picture(self, file: Path) -> None:
        """The whole page as PNG, for people."""
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _await(self, holds: Callable[[], bool], problem: str) -> None:
        with self._browser.news:
            assert self._browser.news.wait_for(holds, PATIENCE_S), problem
