"""One event of a stream in every form that servers send it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.wire.answer import read_bytes
from cardtrail.services.wire.event import read_event

STATUS = {
    "taskId": "t",
    "contextId": "c",
    "status": {"state": "TASK_STATE_WORKING", "timestamp": "2026-11-30T12:00:00Z"},
}
TASK = {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}
MESSAGE = {"messageId": "m", "role": "ROLE_AGENT", "parts": []}


@pytest.mark.parametrize(
    ("content", "kind", "ended", "task"),
    [
        ({"task": TASK}, "task", True, "t"),
        ({"message": MESSAGE}, "message", True, ""),
        ({"statusUpdate": STATUS}, "status", False, "t"),
        ({"artifactUpdate": {"taskId": "t", "artifact": {}}}, "artifact", False, "t"),
        (
            {"kind": "status-update", "taskId": "t", "status": {"state": "completed"}, "final": True},
            "status",
            True,
            "t",
        ),
        ({"kind": "message", "parts": []}, "message", True, ""),
        ({"kind": "task", "id": "t", "status": {"state": "input-required"}}, "task", False, "t"),
    ],
)
def test_an_event_reads_alike_bare_and_wrapped(content: dict[str, Any], kind: str, ended: bool, task: str) -> None:
    bare = read_event(json.dumps(content))
    wrapped = read_event(json.dumps({"jsonrpc": "2.0", "id": 1, "result": content}))
    assert (bare.id, wrapped.id) == (None, 1)
    assert bare == wrapped.model_copy(update={"id": None})
    assert (bare.kind, bare.ended, bare.task) == (kind, ended, task)


def test_the_agents_clock_is_read_where_it_names_its_zone() -> None:
    assert read_event(json.dumps({"statusUpdate": STATUS})).at is not None
    local = {**STATUS, "status": {"timestamp": "2026-11-30T12:00:00"}}
    assert read_event(json.dumps({"statusUpdate": local})).at is None


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32004, "message": "no"}}, "UnsupportedOperationError"),
        ({"error": {"code": 400, "details": [{"domain": "a2a-protocol.org", "reason": "TASK_NOT_FOUND"}]}}, "TaskNotFoundError"),
        ({"error": "it broke"}, ""),
    ],
)  # fmt: skip
def test_a_failure_in_a_stream_is_an_error_by_its_name(data: dict[str, Any], name: str) -> None:
    event = read_event(json.dumps(data))
    assert event.kind == "error"
    assert event.error is not None
    assert event.error.name == name


@pytest.mark.parametrize(
    "data", ["hello", "[1]", "{}", '{"task": 1}', '{"task": {}, "message": {}}', "[DONE]", '{"kind": []}']
)
def test_what_is_no_event_of_a2a_says_so(data: str) -> None:
    assert read_event(data).kind == "not-a2a"


@given(st.one_of(st.text(max_size=80), st.recursive(st.none() | st.text(max_size=5), st.lists).map(json.dumps)))
def test_no_data_raises(data: str) -> None:
    read_event(data)


def test_an_answer_of_nothing_is_empty_and_a_refusal_with_a_streams_type_is_read_as_a_refusal() -> None:
    assert read_bytes("JSONRPC", 200, "application/json", b" \n").kind == "empty"
    assert read_bytes("JSONRPC", 429, "text/event-stream", b"data: slow down\n\n").kind == "throttled"
    assert read_bytes("JSONRPC", 200, "text/event-stream", b"").kind == "stream"
