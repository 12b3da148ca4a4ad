"""One event of a stream: what it carries, and whether the stream may end with it (A2A 1.0.1 §3.1.2, §9.4.2, §11.7; 0.3 §7.2).

JSON-RPC wraps each event as an answer, HTTP+JSON sends it bare; servers mix the two, so both forms are read for both bindings.
"""

from datetime import datetime
from typing import Any, Literal

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.value import Value
from cardtrail.services.card.parse import parse
from cardtrail.services.wire.errors import A2AError, from_http_json, from_json_rpc

EventKind = Literal["task", "message", "status", "artifact", "error", "not-a2a"]
_MEMBERS: dict[str, EventKind] = {
    "task": "task",
    "message": "message",
    "statusUpdate": "status",
    "artifactUpdate": "artifact",
}
_LEGACY: dict[str, EventKind] = {
    "task": "task",
    "message": "message",
    "status-update": "status",
    "artifact-update": "artifact",
}
_ENDED = {"completed", "failed", "canceled", "cancelled", "rejected"}


class StreamEvent(Value):
    """`content` is the task, message or update; `at` the agent's own clock where it says one; `task` the task's id.

    `id` is that of the JSON-RPC request it answers, None where it says none.
    """

    kind: EventKind
    content: Any = None
    error: A2AError | None = None
    at: datetime | None = None
    task: str = ""
    ended: bool = False
    detail: str = ""
    id: Any = None


def read_event(data: str) -> StreamEvent:
    """Read the data of one server-sent event; raises nothing."""
    try:
        document = parse(data.encode("utf-8", "surrogatepass")).value
    except DocumentRefused as refused:
        return StreamEvent(kind="not-a2a", detail=refused.message)
    id_ = document.get("id") if isinstance(document, dict) and "jsonrpc" in document else None
    error = _error(document)
    if error is not None:
        return StreamEvent(kind="error", error=error, id=id_)
    inner = document.get("result", document) if isinstance(document, dict) else document
    kind, content = _content(inner)
    if kind is None:
        return StreamEvent(kind="not-a2a", detail="none of task, message, statusUpdate, artifactUpdate")
    status = content.get("status")
    state, at = (status.get("state"), status.get("timestamp")) if isinstance(status, dict) else (None, None)
    ended = kind == "message" or content.get("final") is True or _ended(state)
    return StreamEvent(kind=kind, content=content, at=_instant(at), task=_task(kind, content), ended=ended, id=id_)


def _content(value: object) -> tuple[EventKind | None, dict[str, Any]]:
    if not isinstance(value, dict):
        return None, {}
    found = [name for name in _MEMBERS if isinstance(value.get(name), dict)]
    if len(found) == 1:
        return _MEMBERS[found[0]], value[found[0]]
    kind = value.get("kind")
    return (_LEGACY.get(kind), value) if isinstance(kind, str) else (None, {})


def _error(document: object) -> A2AError | None:
    if not isinstance(document, dict) or "error" not in document:
        return None
    rest = from_http_json(document)
    return rest if rest is not None and rest.name else from_json_rpc(document["error"]) or A2AError(name="")


def _ended(state: object) -> bool:
    return isinstance(state, str) and state.removeprefix("TASK_STATE_").lower() in _ENDED


def _task(kind: EventKind, content: dict[str, Any]) -> str:
    named = content.get("id" if kind == "task" else "taskId")
    return named[:200] if isinstance(named, str) else ""


def _instant(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None
