"""Reports on their way to the broker: each minute, at once after an error, one report at a time until each is stored."""

import asyncio
import contextlib
import logging

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.events.fact import dump
from cardtrail.events.model.report import Report
from cardtrail.events.subjects import REPORTS, token
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.publish import MESSAGE_ID, Message
from cardtrail.services.planner.reports import Reports

log = logging.getLogger("cardtrail.planner")
_PAUSE_S = 1.0


class Reporter:
    """Sends what `reports` gives; `soon()` lets it begin before its `every_s` seconds are over."""

    def __init__(self, reports: Reports, every_s: float) -> None:
        """Send nothing yet."""
        self._reports, self._every_s = reports, every_s
        self._due, self._sending = asyncio.Event(), asyncio.Lock()

    def soon(self) -> None:
        """An error, or enough for a report."""
        self._due.set()

    async def run(self, bus: Bus) -> None:
        """Send for as long as it is let; a storm of errors makes few reports."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), self._every_s)
            self._due.clear()
            await self._send(bus)
            await asyncio.sleep(_PAUSE_S)

    async def flush(self, bus: Bus | None, within_s: float) -> bool:
        """Send every report that waits; whether all were stored in time."""
        if bus is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._send(bus), within_s)
        return len(self._reports) == 0

    async def _send(self, bus: Bus) -> None:
        async with self._sending:
            while (report := self._reports.next()) is not None:
                try:
                    await bus.publish([_message(report)])
                except Unreachable:
                    return
                except CardtrailError as error:
                    log.warning("a report was not taken: %s", error.message)
                self._reports.stored()


def _message(report: Report) -> Message:
    subject = f"{REPORTS}.{token(report.principal)}.{token(report.workflow)}"
    return Message(subject=subject, data=dump(report), headers={MESSAGE_ID: report.id})
