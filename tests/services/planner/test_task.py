"""What is asked or said about a running task goes where it was begun: URL, version, extensions and tenant of its plan."""

import json
from typing import Any

import pytest

from cardtrail.events.model.profile import Interface
from cardtrail.services.planner.call import CallPlan, CallRefused
from cardtrail.services.planner.task import TaskOperation, plan_reply, plan_task
from tests.services.planner.test_call import PROFILE, WANTED, planned

ANSWER = {"messageId": "m2", "role": "ROLE_USER", "parts": [{"text": "two rooms"}]}


def begun(**interface: Any) -> CallPlan:
    where = Interface(url="https://a.example/rpc", binding="JSONRPC", version="1.0", tenant="acme")
    return planned(PROFILE.model_copy(update={"interface": where.model_copy(update=interface)}))


def asked(plan: CallPlan, operation: TaskOperation = "GetTask") -> CallPlan:
    found = plan_task(plan, "t 1", operation, request_id="r2")
    assert isinstance(found, CallPlan)
    return found


@pytest.mark.parametrize("operation", ["GetTask", "CancelTask", "SubscribeToTask"])
def test_the_tenant_stands_in_every_request_and_the_task_is_named(operation: TaskOperation) -> None:
    plan = asked(begun(), operation)
    sent = json.loads(plan.request.body)
    assert (plan.request.url, plan.request.headers["A2A-Version"]) == ("https://a.example/rpc", "1.0")
    assert (sent["method"], sent["params"]) == (operation, {"tenant": "acme", "id": "t 1"})
    assert (plan.operation, plan.task, plan.fallback) == (operation, True, None)
    assert plan.request.streams == (operation == "SubscribeToTask")


def test_over_http_task_and_tenant_stand_in_the_path() -> None:
    request = asked(begun(binding="HTTP+JSON"), "CancelTask").request
    assert (request.method, request.url) == ("POST", "https://a.example/rpc/acme/tasks/t%201:cancel")


def test_a_task_of_an_older_version_is_asked_for_in_that_version() -> None:
    request = asked(begun(version="0.3", tenant=None), "SubscribeToTask").request
    assert json.loads(request.body)["method"] == "tasks/resubscribe"
    assert "A2A-Version" not in request.headers


def test_where_streaming_is_not_claimed_no_stream_is_taken_up_again() -> None:
    plan = planned(PROFILE.model_copy(update={"streaming": False}), WANTED)
    refused = plan_task(plan, "t1", "SubscribeToTask", request_id="r2")
    assert isinstance(refused, CallRefused)
    assert (refused.reason, "GetTask" in refused.detail) == ("operation-not-claimed", True)
    assert plan_reply(plan, "t1", ANSWER, stream=True, request_id="r2").operation == "SendMessage"


def test_what_asks_no_task_is_refused_with_what_does() -> None:
    refused = plan_task(begun(), "t1", "ListTasks", request_id="r2")  # type: ignore[arg-type]
    assert isinstance(refused, CallRefused)
    assert refused.detail == "ListTasks asks no task; one of GetTask, CancelTask, SubscribeToTask"


def test_a_reply_names_its_task_and_keeps_what_may_come_back() -> None:
    plan = planned(wanted=WANTED.model_copy(update={"accepted_modes": ("application/json",)}))
    reply = plan_reply(plan, "t1", ANSWER, stream=True, request_id="r2")
    sent = json.loads(reply.request.body)
    assert sent["params"] == {
        "tenant": "acme",
        "message": {**ANSWER, "taskId": "t1"},
        "configuration": {"acceptedOutputModes": ["application/json"]},
    }
    assert (reply.operation, reply.task, reply.fallback) == ("SendStreamingMessage", True, None)
