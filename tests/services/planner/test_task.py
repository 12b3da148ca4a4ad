"""What is asked or said about a running task goes where it was begun: URL, version, extensions and tenant of its plan."""

import json
from typing import Any

import pytest

from cardtrail.events.model.profile import Interface
from cardtrail.services.planner.call import CallPlan, CallRefused, plan_call
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


LONE = "half \ud800 pair"


@pytest.mark.parametrize("task", ["", ".", "..", LONE])
@pytest.mark.parametrize("operation", ["GetTask", "CancelTask", "SubscribeToTask"])
def test_a_task_id_that_is_no_segment_of_a_path_is_refused_over_http(task: str, operation: TaskOperation) -> None:
    refused = plan_task(begun(binding="HTTP+JSON"), task, operation, request_id="r2")
    assert isinstance(refused, CallRefused)
    assert refused.reason == "request-unfit"


def test_in_a_body_dots_are_only_a_name_and_half_a_pair_is_still_refused() -> None:
    assert isinstance(plan_task(begun(), "..", request_id="r2"), CallPlan)
    for plan in (
        plan_task(begun(), LONE, request_id="r2"),
        plan_reply(begun(), LONE, ANSWER, stream=False, request_id="r3"),
        plan_reply(begun(), "t", {**ANSWER, "parts": [{"text": LONE}]}, stream=True, request_id="r3"),
    ):
        assert isinstance(plan, CallRefused)
        assert plan.reason == "request-unfit"


@pytest.mark.parametrize("interface", [{"binding": "HTTP+JSON", "tenant": ".."}, {"url": "https://a.example/rpc#top"}])
def test_an_interface_that_no_request_reaches_is_refused_for_calls_and_for_tasks(interface: dict[str, str]) -> None:
    first = plan_call(PROFILE.model_copy(update={"interface": begun().interface.model_copy(update=interface)}), WANTED)
    task = plan_task(
        begun().model_copy(update={"interface": begun().interface.model_copy(update=interface)}), "t", request_id="r"
    )
    for refused in (first, task):
        assert isinstance(refused, CallRefused)
        assert refused.reason == "interface-unfit"
