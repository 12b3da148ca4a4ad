"""What an answer says, by its content first and its status last (A2A §9.5, §11.6; reading rules of the error table)."""

from collections.abc import Iterator
from typing import Any, Literal

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.value import Value
from cardtrail.services.card.parse import parse
from cardtrail.services.wire.errors import A2AError, from_http_json, from_json_rpc

Kind = Literal["result", "error", "stream", "throttled", "unauthorized", "forbidden", "unavailable", "empty", "not-a2a"]


class WireAnswer(Value):
    """An answer read: its kind, the result or the error, the HTTP status it came with, seconds of `Retry-After`.

    `id` is that of the JSON-RPC request it answers, None where it says none.
    """

    kind: Kind
    status: int
    result: Any = None
    error: A2AError | None = None
    retry_after_s: int | None = None
    media_type: str = ""
    detail: str = ""
    id: Any = None


_BY_STATUS: dict[int, Kind] = {401: "unauthorized", 403: "forbidden", 429: "throttled", 503: "unavailable"}


def read_answer(
    binding: str, status: int, media_type: str, document: object | DocumentRefused, *, retry_after_s: int | None = None
) -> WireAnswer:
    """Judge one whole (not streamed) answer; `document` is the strictly parsed body or the refusal of it."""
    media = media_type.partition(";")[0].strip().lower()
    said: dict[str, Any] = {"status": status, "retry_after_s": retry_after_s, "media_type": media}
    if media == "text/event-stream" and _is_ok(status):
        return WireAnswer(kind="stream", **said)
    if isinstance(document, DocumentRefused):
        kind = _BY_STATUS.get(status, "empty" if document.code == "json-empty" else "not-a2a")
        return WireAnswer(kind=kind, detail=document.message, **said)
    said["id"] = document.get("id") if isinstance(document, dict) and "jsonrpc" in document else None
    error = _error(binding, document)
    if error is not None and (error.name or status not in _BY_STATUS):
        return WireAnswer(kind="error", error=error, **said)
    if status in _BY_STATUS:
        return WireAnswer(kind=_BY_STATUS[status], error=error, **said)
    return _result(binding, status, document, said)


def read_bytes(
    binding: str, status: int, media_type: str, body: bytes, *, retry_after_s: int | None = None
) -> WireAnswer:
    """Judge one whole answer from its bytes, strictly parsed; nothing but spaces is an empty answer."""
    try:
        document = parse(body).value if body.strip() else DocumentRefused("json-empty", "an empty answer")
    except DocumentRefused as refused:
        document = refused
    return read_answer(binding, status, media_type, document, retry_after_s=retry_after_s)


def _is_ok(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004 — the HTTP success class


def _error(binding: str, document: object) -> A2AError | None:
    """The error object in either binding's form: servers answer HTTP+JSON calls with JSON-RPC bodies and the reverse."""
    if not isinstance(document, dict) or "error" not in document:
        return None
    rpc = from_json_rpc(document["error"])
    rest = from_http_json(document)
    first, second = (rpc, rest) if binding == "JSONRPC" else (rest, rpc)
    return first if first is not None and first.name else (second if second is not None and second.name else first)


def _result(binding: str, status: int, document: object, said: dict[str, Any]) -> WireAnswer:
    if binding == "JSONRPC":
        if isinstance(document, dict) and "result" in document and document.get("jsonrpc") == "2.0":
            return WireAnswer(kind="result", result=document["result"], **said)
        return WireAnswer(kind="not-a2a", detail="no JSON-RPC 2.0 answer", **said)
    if _is_ok(status) and isinstance(document, dict):
        return WireAnswer(kind="result", result=document, **said)
    return WireAnswer(kind="not-a2a", detail=f"HTTP {status} without an A2A body", **said)


_IMPLIED = {"text": "text/plain", "data": "application/json"}


def media_types(result: object) -> Iterator[str]:
    """The media types of all parts in a SendMessage result (message, or a task's artifacts and status message)."""
    if not isinstance(result, dict):
        return
    for member in ("message", "task", "status"):
        yield from media_types(result.get(member))
    artifacts = result.get("artifacts")
    for item in artifacts if isinstance(artifacts, list) else ():
        yield from media_types(item)
    parts = result.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            stated = part.get("mediaType") or next((kind for name, kind in _IMPLIED.items() if name in part), None)
            if isinstance(stated, str):
                yield stated
