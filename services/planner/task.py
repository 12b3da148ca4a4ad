"""What comes after a call: questions and messages about a task that it began, there and in the version where it was begun.

Pure. No permission is asked: a route that stops says nothing about tasks that run (A2A §3.1.1 to §3.1.6).
"""

from typing import Any, Literal, get_args

from cardtrail.events.errors import InputRefused
from cardtrail.services.planner.call import CallPlan, CallRefused, unfit_request
from cardtrail.services.wire.request import build

TaskOperation = Literal["GetTask", "CancelTask", "SubscribeToTask"]


def plan_task(
    plan: CallPlan, task_id: str, operation: TaskOperation = "GetTask", *, request_id: str
) -> CallPlan | CallRefused:
    """How a task stands, its end, or its stream again: for a task that came of a plan."""
    if operation not in get_args(TaskOperation):
        detail = f"{operation} asks no task; one of {', '.join(get_args(TaskOperation))}"
        return CallRefused(reason="operation-unknown", detail=detail)
    if operation == "SubscribeToTask" and not plan.streaming:
        detail = "streaming is not claimed, or was refused: GetTask says how it stands"
        return CallRefused(reason="operation-not-claimed", detail=detail)
    return _about(plan, operation, {"id": task_id}, request_id)


def plan_reply(
    plan: CallPlan, task_id: str, message: dict[str, Any], *, stream: bool, request_id: str
) -> CallPlan | CallRefused:
    """A further message to a task that came of a plan (it waits for input, say); plain where streaming is not to be used."""
    params: dict[str, Any] = {"message": {**message, "taskId": task_id}}
    if plan.accepted_modes:
        params["configuration"] = {"acceptedOutputModes": list(plan.accepted_modes)}
    operation = "SendStreamingMessage" if stream and plan.streaming else "SendMessage"
    return _about(plan, operation, params, request_id)


def _about(plan: CallPlan, operation: str, params: dict[str, Any], request_id: str) -> CallPlan | CallRefused:
    try:
        asked = build(plan.interface, operation, params, request_id=request_id, extensions=plan.extensions)
    except InputRefused as error:
        return unfit_request(error)
    return plan.model_copy(update={"operation": operation, "request": asked, "fallback": None, "task": True})
