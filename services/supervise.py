"""Several services as child processes of one command: started together, restarted when one dies, ended together.

Each child holds the reading end of a pipe and stops at its end: kill -9 of this process leaves no child behind.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from cardtrail.events.errors import CardtrailError
from cardtrail.services.bus.retried import Retried

log = logging.getLogger("cardtrail.up")
_PAUSES_S = (0.1, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
_STEADY_S, _AGAIN_S = 30.0, 1.0
_PATIENCE_S = 10.0
_DEAF = 'trap "" INT; exec "$@"'
"""Ctrl-C reaches the whole group and is for us: a child that is still importing would answer it with a traceback.

A shell says so, for Python between fork and exec hangs now and then where there are threads.
"""


class Children:
    """The services of one process group; an async context manager. A child that ends is started again, after a pause."""

    def __init__(
        self,
        services: tuple[str, ...],
        config: Path | None,
        environment: Mapping[str, str],
        can_start: Callable[[], object] = lambda: None,
    ) -> None:
        """`environment` is what the children see, `NATS_URL` among it.

        None that ended is started again while `can_start` raises an error of ours.
        """
        self._can_start, self._hindered = can_start, Retried(log, "services that ended are not started again yet")
        self._services, self._config, self._environment = services, config, dict(environment)
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self.restarts: dict[str, int] = dict.fromkeys(services, 0)

    async def __aenter__(self) -> Self:
        for service in self._services:
            await self._start(service)
        self._keepers = [asyncio.create_task(self._keep(service)) for service in self._services]
        return self

    async def __aexit__(self, *_: object) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        running = [process for process in self._processes.values() if process.returncode is None]
        for process in running:
            process.terminate()
        ended = asyncio.gather(*(process.wait() for process in running))
        try:
            await asyncio.wait_for(asyncio.shield(ended), _PATIENCE_S)
        except TimeoutError:
            for process in running:
                if process.returncode is None:
                    process.kill()
            await ended

    def pid(self, service: str) -> int:
        """The process id of a service's child."""
        return self._processes[service].pid

    def kill(self, service: str) -> None:
        """End a child without a chance to tidy up; it will be started again."""
        os.kill(self.pid(service), signal.SIGKILL)

    async def _start(self, service: str) -> None:
        named = ("--config", str(self._config)) if self._config else ()
        self._processes[service] = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", _DEAF, "sh"),
            *(sys.executable, "-m", "cardtrail.services.cli", "run", service, "--with-parent", *named),
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
        )

    async def _keep(self, service: str) -> None:
        loop = asyncio.get_running_loop()
        fails = 0
        while True:
            started = loop.time()
            code = await self._processes[service].wait()
            fails = 0 if loop.time() - started > _STEADY_S else fails + 1
            pause = _PAUSES_S[min(fails, len(_PAUSES_S) - 1)]
            log.warning("%s ended with %s; starting again in %.1f s", service, code, pause)
            await asyncio.sleep(pause)
            await self._until_it_can()
            await self._start(service)
            self.restarts[service] += 1

    async def _until_it_can(self) -> None:
        while True:
            try:
                self._can_start()
            except CardtrailError as hindrance:
                self._hindered.failed(hindrance.code, hindrance)
                await asyncio.sleep(_AGAIN_S)
            else:
                self._hindered.worked()
                return
