"""What a planner sends is believed only as far as its sender may speak and as what is known allows."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import AgentTracked, LockfilePinned, LockfileReleased
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import EventRefused
from cardtrail.events.model.lockfile import Candidate
from cardtrail.projections.projection import Rows
from cardtrail.services.observer.known import Known
from cardtrail.services.observer.receive import Received, received
from tests.projections.facts import compiled, full, lock, profile
from tests.projections.log import Log

AT = datetime(2026, 11, 30, 12, 0, 30, tzinfo=UTC)
SUBJECT = "cardtrail.reports.public.trip"


def known() -> tuple[Log, Rows]:
    """One agent with a profile, a lock on it with a candidate."""
    log, rows = Log(), Rows()
    for name in ("pricing", "fares", "stranger"):
        log.tell(AgentTracked(agent=name, target=Target(kind="card-url", value=f"https://{name}.example/c")))
        card = full(log, name, agent=name, location=f"https://{name}.example/c")
        compiled(log, card, profile(), agent=name, profile_digest="sha256:old")
        compiled(log, full(log, f"{name}2", agent=name), profile(streaming=False), agent=name)
    pinned = lock(Candidate(agent="https://fares.example/c"))
    log.tell(LockfilePinned(agent="pricing", workflow="trip", lockfile=pinned, lock_digest="x"))
    for stored in log.facts:
        Known().apply(stored, rows)
    return log, rows


LOG, ROWS = known()


def call(**members: Any) -> dict[str, Any]:
    return {"at": "2026-11-30T12:00:01Z", "operation": "SendMessage", "skill": "quote", "latency_ms": 5} | members


def body(*calls: dict[str, Any], **members: Any) -> bytes:
    given = {"format": "cardtrail.calls/1", "id": "r1", "agent": "pricing", "workflow": "trip"}
    return json.dumps({**given, "calls": calls or [call()], **members}).encode()


def read(data: bytes, subject: str = SUBJECT) -> Received:
    return received(data, subject, ROWS, AT)


def refused(data: bytes, subject: str = SUBJECT) -> str:
    with pytest.raises(EventRefused) as caught:
        read(data, subject)
    return caught.value.code


def test_a_report_about_an_agent_of_the_workflow_is_taken() -> None:
    found = read(body())
    assert (found.agent, found.principal, found.workflow, found.report) == ("pricing", "public", "trip", "r1")
    assert read(body(agent="https://PRICING.example:443/c")).agent == "pricing"
    assert read(body(agent="fares")).agent == "fares"


def test_the_profile_is_the_one_named_else_the_one_in_force() -> None:
    assert read(body(profile_digest="sha256:old")).held.profile.streaming is True
    assert read(body(profile_digest="sha256:never")).held.profile.streaming is False
    assert read(body()).held.profile.streaming is False


@pytest.mark.parametrize(
    ("data", "subject", "code"),
    [
        (b"", SUBJECT, "report-unreadable"),
        (b"{", SUBJECT, "report-unreadable"),
        (b'{"id":"a","id":"b"}', SUBJECT, "report-unreadable"),
        (body(calls=[]) + b"x" * 600_000, SUBJECT, "report-unreadable"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, SUBJECT, "report-unreadable"),
        (body(*[call()] * 501), SUBJECT, "report-unreadable"),
        (body(call(latency_ms=-1)), SUBJECT, "report-unreadable"),
        (body().replace(b'"latency_ms": 5', b'"latency_ms": NaN'), SUBJECT, "report-unreadable"),
        (body(call(operation="DropTables")), SUBJECT, "report-unreadable"),
        (body(format="cardtrail.report/2"), SUBJECT, "report-unreadable"),
        (body(surprise=1), SUBJECT, "report-unreadable"),
        (body(principal="finance"), SUBJECT, "report-foreign"),
        (body(workflow="other"), SUBJECT, "report-foreign"),
        (body(), "cardtrail.reports.finance.trip", "report-foreign"),
        (body(agent="nobody"), SUBJECT, "report-unknown"),
        (body(agent="stranger"), SUBJECT, "report-unknown"),
        (body(workflow="other"), "cardtrail.reports.public.other", "report-unknown"),
        (body(principal="finance"), "cardtrail.reports.finance.trip", "report-unknown"),
    ],
)  # fmt: skip
def test_what_is_no_report_of_its_sender_about_somebody_known_is_refused(data: bytes, subject: str, code: str) -> None:
    assert refused(data, subject) == code


def test_a_released_lock_ends_its_workflows_reports() -> None:
    log, rows = known()
    Known().apply(log.tell(LockfileReleased(agent="pricing", workflow="trip")), rows)
    with pytest.raises(EventRefused):
        received(body(), SUBJECT, rows, AT)


def test_words_that_nobody_knows_multiply_nothing_and_text_is_shown_not_obeyed() -> None:
    error = {"name": "Evil\u202e", "reason": "WHATEVER", "local": "x", "status": 99_999, "message": "\u001b[2Jhi"}
    (told,) = read(body(call(skill="no-such-skill", error=error))).calls
    assert told.skill is None
    assert told.error is not None
    assert (told.error.name, told.error.reason, told.error.local, told.error.status) == ("", "", "other", 0)
    assert told.error.message == "Evil\\u202e; \\u001b[2Jhi"


@given(st.one_of(st.datetimes(timezones=st.just(UTC)).map(lambda at: at.isoformat()), st.text(max_size=40)))
def test_a_clients_clock_moves_a_call_by_no_more_than_an_hour(at: str) -> None:
    (told,) = read(body(call(at=at))).calls
    minute = datetime.fromisoformat(told.at)
    assert minute.second == 0
    assert AT - timedelta(hours=1, minutes=1) <= minute <= AT + timedelta(minutes=1)


@given(st.binary(max_size=300))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    assert refused(data).startswith("report-")
