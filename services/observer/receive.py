"""From the bytes of a report to a report that may be believed: strictly read, of the one who sent it, about somebody known.

The subject says who speaks: the broker lets a planner publish under its own principal only. Pure.
"""

from datetime import UTC, datetime, timedelta

from pydantic import ValidationError

from cardtrail.events.errors import DocumentRefused, EventRefused
from cardtrail.events.model.report import Call, Report, ReportedError
from cardtrail.events.model.value import Value
from cardtrail.events.subjects import REPORTS, token
from cardtrail.projections.projection import Rows
from cardtrail.services import places
from cardtrail.services.card.document import Limits
from cardtrail.services.card.parse import parse
from cardtrail.services.card.paths import visible
from cardtrail.services.kept import load
from cardtrail.services.observer.known import Held, depends, profile_of
from cardtrail.services.wire.errors import BY_REASON, CODE_OF
from cardtrail.services.wire.request import OPERATIONS

LIMITS = Limits(size=512 * 1024, depth=8, entries=40_000)
_SKEW = timedelta(minutes=1)
_OLDEST = timedelta(hours=1)
_LONGEST_MS = 86_400_000.0
_STATUS = range(100, 600)
_LOCAL = {"timeout", "connect", "tls", "empty-stream", "not-a-stream", "not-a2a", "too-large", "other"}


class Received(Value):
    """A report to be counted: its agent by the operator's name, the profile it speaks of, calls with bounded members."""

    agent: str
    principal: str
    workflow: str
    report: str
    held: Held
    calls: tuple[Call, ...]


def received(data: bytes, subject: str, rows: Rows, at: datetime) -> Received:
    """The report in a message that was stored `at`.

    Raises:
        EventRefused: `report-unreadable`, `report-foreign` (not its sender's), `report-unknown` (an agent, workflow or profile
            that nobody here knows).
    """
    report = _read(data)
    if subject != f"{REPORTS}.{token(report.principal)}.{token(report.workflow)}":
        raise EventRefused("report-foreign", "principal and workflow are not those of its subject")
    agent, principal = places.resolve(rows, report.agent, report.principal), report.principal
    if load(rows, places.Locations, (agent, principal)) is None:
        raise EventRefused("report-unknown", "nobody watches this agent for this principal")
    if not depends(rows, report.workflow, agent, principal):
        raise EventRefused("report-unknown", "no lock of this workflow names this agent")
    held = profile_of(rows, agent, principal, report.profile_digest)
    if held is None:
        raise EventRefused("report-unknown", "nothing was compiled of this agent yet")
    calls = tuple(_bounded(call, held, at) for call in report.calls)
    return Received(
        agent=agent, principal=principal, workflow=report.workflow, report=visible(report.id), held=held, calls=calls
    )


def _read(data: bytes) -> Report:
    try:
        return Report.model_validate_json(parse(data, LIMITS).text)
    except DocumentRefused as refused:
        raise EventRefused("report-unreadable", f"{refused.code}: {refused.message}") from refused
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])[:200]
        raise EventRefused("report-unreadable", f"{place}: {first['msg']}") from error


def _bounded(call: Call, held: Held, at: datetime) -> Call:
    """The call with what multiplies rows taken from what is known, text made visible, and a clock that cannot run away."""
    if call.operation not in OPERATIONS:
        raise EventRefused("report-unreadable", "calls.operation: no operation of A2A")
    return call.model_copy(
        update={
            "at": _minute(call.at, at),
            "skill": call.skill if call.skill in held.profile.skills else None,
            "latency_ms": min(call.latency_ms, _LONGEST_MS),
            "error": None if call.error is None else _shown(call.error),
        }
    )


def _minute(text: str, at: datetime) -> str:
    """The minute of a call, never later than a minute after the report nor earlier than an hour before it."""
    try:
        said = datetime.fromisoformat(text)
    except ValueError:
        said = at
    said = said if said.tzinfo is not None else at
    said = min(max(said, at - _OLDEST), at + _SKEW).astimezone(UTC)
    return said.replace(second=0, microsecond=0).strftime("%Y-%m-%dT%H:%M:00Z")


def _shown(error: ReportedError) -> ReportedError:
    """The error with the words we know; any other name goes into the message, so that nobody can multiply rows by it."""
    name = error.name if error.name in CODE_OF else ""
    told = "; ".join(part for part in ("" if name else error.name, error.message) if part)
    return error.model_copy(
        update={
            "name": name,
            "reason": error.reason if error.reason in BY_REASON else "",
            "local": error.local if error.local in _LOCAL or not error.local else "other",
            "status": error.status if error.status in _STATUS else 0,
            "message": visible(told)[:300],
        }
    )
