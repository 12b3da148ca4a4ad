"""The messages of one channel, one after the other: what is ripe is composed, delivered, tried again, and told as a fact."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, cast

from cardtrail.events import Fact, OwnerNotified, derived_id
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.retried import Retried
from cardtrail.services.notifier.deliver import Channel, Delivery, Open, deliver
from cardtrail.services.notifier.due import back_off_s, fresh_findings, ripe, silenced_at
from cardtrail.services.notifier.memory import Pending
from cardtrail.services.notifier.message import Entry, Message, compose, compose_digest
from cardtrail.services.notifier.notices import told_of, waiting
from cardtrail.services.settings import NoticeSettings

log = logging.getLogger("cardtrail.notifier")
SOURCE = "cardtrail/notifier"
GAVE_UP = "gave-up"


@dataclass(slots=True)
class Owners:
    """One channel; `failures` in a row, `not_before` the instant until which it is left alone.

    `attempts` counts those to tell of each decision that waits; `sent` are the ones of this process that were settled and have
    not come back from the log yet.
    """

    channel: Channel
    bus: Bus
    open: Open
    settings: NoticeSettings
    clock: Callable[[], datetime]
    failures: int = 0
    attempts: dict[str, int] = field(default_factory=dict)
    not_before: datetime | None = None
    sent: set[str] = field(default_factory=set)
    retried: Retried = field(init=False)

    def __post_init__(self) -> None:
        """Nothing was sent yet."""
        self.retried = Retried(log, f"channel {self.channel.name}")

    async def serve(self, rows: Rows) -> float | None:
        """Send what is ripe; seconds until it should be asked again, None = when something changes.

        Raises:
            BrokerUnreachable: the fact could not be told; the message goes out again, under the same key.
        """
        now = self.clock()
        if self.not_before is not None and now < self.not_before:
            return (self.not_before - now).total_seconds()
        mine = [one for one in waiting(rows) if one.event.channel == self.channel.name]
        still = {str(one.decision) for one in mine}
        self.sent &= still
        self.attempts = {decision: count for decision, count in self.attempts.items() if decision in still}
        single, daily = ripe(
            (one for one in mine if str(one.decision) not in self.sent), now, self.settings.digest_hour
        )
        for group in (*((one,) for one in single), *((daily,) if daily else ())):
            entries = tuple(self._entry(rows, one) for one in group)
            wait_s = await self._send(group, entries, self._message(entries, daily=group is daily))
            if wait_s is not None:
                return wait_s
        return None

    def _entry(self, rows: Rows, one: Pending) -> Entry:
        told = told_of(rows, one.event)
        fresh = fresh_findings(one.event, told.fingerprints, silenced_at(told, self.clock()))
        return one.event, str(one.decision), fresh

    def _message(self, entries: tuple[Entry, ...], *, daily: bool) -> Message:
        kind = cast("Literal['json', 'slack']", self.channel.kind)
        if daily:
            return compose_digest(entries, kind, self.clock().date().isoformat())
        return compose(*entries[0], kind)

    async def _send(self, group: tuple[Pending, ...], entries: tuple[Entry, ...], message: Message) -> float | None:
        """Seconds until another attempt; None where the message is off the table: taken, refused for good, or given up."""
        for _, decision, _ in entries:
            self.attempts[decision] = self.attempts.get(decision, 0) + 1
        came = await deliver(self.open, self.channel, message, self.clock())
        now = self.clock()
        if came.again and now - min(one.at for one in group) < timedelta(seconds=self.settings.give_up):
            self.failures += 1
            wait_s = back_off_s(self.failures, came.retry_after_s)
            self.not_before = now + timedelta(seconds=wait_s)
            self.retried.failed(came.problem, came.problem)
            return wait_s
        self.failures, self.not_before = 0, None
        self.retried.worked()
        await self.bus.tell([self._fact(entry, came, now) for entry in entries])
        self.sent |= {str(one.decision) for one in group}
        return None

    def _fact(self, entry: Entry, came: Delivery, now: datetime) -> Fact:
        event, decision, fresh = entry
        problem = f"{GAVE_UP}: {came.problem}" if came.again else came.problem
        notified = OwnerNotified.model_validate(
            {
                "agent": event.agent,
                "principal": event.principal,
                "workflow": event.workflow,
                "decision": decision,
                "channel": self.channel.name,
                "fingerprints": [finding.fingerprint for finding in fresh],
                "status": came.status,
                "attempts": self.attempts[decision],
                "problem": problem,
            }
        )
        identifier = derived_id(notified.decision, "notifier", "1", self.channel.name)
        return Fact(id=identifier, source=SOURCE, time=now, causation=notified.decision, data=notified)
