"""When something is due: instants kept by the broker as message schedules (nats-server 2.12, ADR-51), fired as jobs.

Subjects begin with the host, so that work can be limited per host: `cardtrail.schedules.<host>.<queue>.<what>.<agent>.
<principal>.<workflow>` holds at most one instant, which fires to the same under `cardtrail.due`. Three queues share the
stream: `clock` (deadlines that become facts), `refresh` and `probe`.
"""

from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from pydantic_core import from_json

from cardtrail.events import DeadlinePassed, Fact, derived_id
from cardtrail.events.deadline_passed import Deadline
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import PUBLIC, dump, instant
from cardtrail.events.model.value import Value
from cardtrail.events.subjects import token
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.names import SCHEDULES
from cardtrail.services.bus.publish import Message, publish
from cardtrail.services.bus.streams import DUE_SUBJECTS, SCHEDULE_SUBJECTS
from cardtrail.services.bus.work_queue import WorkQueue

Queue = Literal["clock", "refresh", "probe"]
_NO_CAUSE = UUID(int=0)
_PATIENCE_S = 10.0


class Due(Value):
    """What is due when; `host` is the one that the work would bother (`-` for none)."""

    what: Deadline
    due: datetime
    agent: str
    principal: str = PUBLIC
    workflow: str = ""
    fingerprint: str = ""
    host: str = "-"

    @property
    def queue(self) -> Queue:
        """Who does the work."""
        return self.what if self.what in ("refresh", "probe") else "clock"

    def place(self) -> str:
        """Subject tokens behind the prefix: one instant each."""
        about = (self.agent, self.principal, self.workflow or "-", self.fingerprint or "-")
        return ".".join((token(self.host), self.queue, self.what, *(token(part) for part in about)))


async def schedule(bus: Bus, due: list[Due]) -> None:
    """Set these instants, each in place of an earlier one of the same place; one in the past fires at once.

    Raises:
        BrokerUnreachable: set them again.
    """
    messages = [
        Message(
            subject=f"{SCHEDULE_SUBJECTS}.{one.place()}",
            data=dump(one),
            headers={
                "Nats-Schedule": "@at " + instant(one.due),
                "Nats-Schedule-Target": f"{DUE_SUBJECTS}.{one.place()}",
                "Nats-Rollup": "sub",
            },
        )
        for one in due
    ]
    await publish(bus.connection, messages, patience_s=_PATIENCE_S)


async def cancel(bus: Bus, due: Due) -> None:
    """Forget an instant that has not fired yet; one that is not set is no error."""
    with foreign():
        await bus.connection.js.purge_stream(SCHEDULES, subject=f"{SCHEDULE_SUBJECTS}.{due.place()}")


def queue(bus: Bus, name: Queue) -> WorkQueue:
    """The jobs of one queue, shared by all who ask for it."""
    return WorkQueue(bus.connection, SCHEDULES, f"due_{name}", filter_subject=f"{DUE_SUBJECTS}.*.{name}.>")


def read_due(data: bytes) -> Due:
    """The job in a delivered message.

    Raises:
        EventRefused: `broken-event`.
    """
    try:
        return Due.model_validate(from_json(data))
    except ValueError as error:
        raise EventRefused("broken-event", f"not a job: {str(error)[:300]}") from error


def passed(due: Due, now: datetime) -> Fact:
    """The fact that this instant has come; the same instant always has the same id, however often it fires."""
    event = DeadlinePassed(
        what=due.what,
        due=instant(due.due),
        agent=due.agent,
        principal=due.principal,
        workflow=due.workflow,
        fingerprint=due.fingerprint,
    )
    key = "/".join((due.place(), instant(due.due)))
    return Fact(id=derived_id(_NO_CAUSE, "clock", "1", key), source="clock", time=now.astimezone(UTC), data=event)
