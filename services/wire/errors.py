"""A2A and JSON-RPC errors by code or reason, never by HTTP status (A2A 1.0.1 §5.4, §9.5, §11.6)."""

import re
from typing import Any

from cardtrail.events.model.value import Value

DOMAIN = "a2a-protocol.org"
BY_CODE = {
    -32001: "TaskNotFoundError",
    -32002: "TaskNotCancelableError",
    -32003: "PushNotificationNotSupportedError",
    -32004: "UnsupportedOperationError",
    -32005: "ContentTypeNotSupportedError",
    -32006: "InvalidAgentResponseError",
    -32007: "ExtendedAgentCardNotConfiguredError",
    -32008: "ExtensionSupportRequiredError",
    -32009: "VersionNotSupportedError",
    -32010: "TaskGenerationMismatchError",
    -32700: "JSONParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}
_STANDARD = range(-32700, -32599)
_VERSION = re.compile(r"\d+\.\d+")
_SUPPORTED = re.compile(r"(?<!not )(?<!un)\b(supported|supports|expected|expects|requires|only)\b")


def _reason(name: str) -> str:
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name.removesuffix("Error"))
    return words.strip("_").upper()


BY_REASON = {_reason(name): name for code, name in BY_CODE.items() if code not in _STANDARD}
CODE_OF = {name: code for code, name in BY_CODE.items()}


class A2AError(Value):
    """An error as the agent gave it: the A2A name ("" where it is none of ours), code, message cut to 300 characters."""

    name: str
    code: int | None = None
    reason: str = ""
    message: str = ""


def from_json_rpc(error: object) -> A2AError | None:
    """The `error` member of a JSON-RPC answer; None where it is no error object. ErrorInfo outranks the code."""
    if not isinstance(error, dict):
        return None
    code = error.get("code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    reason = _error_info(error.get("data"))
    name = BY_REASON.get(reason) or BY_CODE.get(code or 0, "")
    return A2AError(name=name, code=code, reason=reason, message=_message(error))


def from_http_json(body: object) -> A2AError | None:
    """The error in an HTTP+JSON body (`{"error": {…, "details": […]}}`); None where there is none."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return None
    reason = _error_info(error.get("details"))
    name = BY_REASON.get(reason, "")
    return A2AError(name=name, code=CODE_OF.get(name), reason=reason, message=_message(error))


def refused_version(message: str) -> str:
    """The protocol version that a VersionNotSupportedError says it refused, "" where it does not say.

    Nothing standard carries it (A2A §3.6): servers word it as "version X is not supported", with those they support behind.
    """
    found = _VERSION.search(message)
    before = message[: found.start()].lower() if found else ""
    return found[0] if found and not _SUPPORTED.search(before) else ""


def _error_info(details: object) -> str:
    """The reason of the first ErrorInfo of our domain; older servers send one object where a list is due."""
    for item in details if isinstance(details, list) else [details]:
        if isinstance(item, dict) and item.get("domain") == DOMAIN and isinstance(item.get("reason"), str):
            return str(item["reason"])[:100]
    return ""


def _message(error: dict[str, Any]) -> str:
    return str(error.get("message") or "")[:300]
