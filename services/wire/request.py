"""Requests by profile: URL, method, headers and body for an operation on the chosen interface (A2A §7, §9, §11).

Tenant goes verbatim into the request object, or in front of the path for HTTP+JSON; `A2A-Version` is the interface's
Major.Minor; extensions are asked for by header. Bindings other than JSONRPC and HTTP+JSON cannot be built here.
"""

from typing import Any
from urllib.parse import quote

from pydantic_core import from_json

from cardtrail.events.errors import InputRefused
from cardtrail.events.fact import dump
from cardtrail.events.model.profile import Interface
from cardtrail.events.model.value import Value
from cardtrail.services.card.endpoint import DOTS, unfit_interface
from cardtrail.services.card.paths import visible

LEGACY_METHODS = {
    "SendMessage": "message/send",
    "SendStreamingMessage": "message/stream",
    "GetTask": "tasks/get",
    "CancelTask": "tasks/cancel",
    "SubscribeToTask": "tasks/resubscribe",
    "GetExtendedAgentCard": "agent/getAuthenticatedExtendedCard",
}
_PATHS: dict[str, tuple[str, str]] = {
    "SendMessage": ("POST", "/message:send"),
    "SendStreamingMessage": ("POST", "/message:stream"),
    "GetTask": ("GET", "/tasks/{id}"),
    "ListTasks": ("GET", "/tasks"),
    "CancelTask": ("POST", "/tasks/{id}:cancel"),
    "SubscribeToTask": ("POST", "/tasks/{id}:subscribe"),
    "GetExtendedAgentCard": ("GET", "/extendedAgentCard"),
}
STREAMING = frozenset({"SendStreamingMessage", "SubscribeToTask"})
OPERATIONS = frozenset(
    {
        *_PATHS,
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    }
)
"""Every operation of A2A 1.0.1 (§9.4); not all can be built here."""


class WireRequest(Value):
    """One HTTP request, ready to send but for credentials; `streams` says that an event stream is expected."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes = b""
    streams: bool = False


def is_legacy(interface: Interface) -> bool:
    """Whether the interface speaks a 0.x protocol (a missing version means 0.3, §3.6)."""
    return interface.version == "" or interface.version.startswith("0.")


def can_build(interface: Interface) -> bool:
    """Whether requests for this interface can be built here."""
    return interface.binding in {"JSONRPC", "HTTP+JSON"} and not unfit_interface(interface)


def build(
    interface: Interface, operation: str, params: dict[str, Any], *, request_id: str, extensions: tuple[str, ...] = ()
) -> WireRequest:
    """The request for an operation; `params` is the request object without tenant.

    Raises:
        InputRefused: `interface-unfit` (see `unfit_interface`); `request-unfit` for a task id that is no segment, and for
            what is no valid Unicode or no JSON.
    """
    if reason := unfit_interface(interface):
        raise InputRefused("interface-unfit", reason)
    try:
        return _built(interface, operation, params, request_id, extensions)
    except ValueError as error:
        raise InputRefused("request-unfit", f"cannot be written: {visible(str(error))[:200]}") from error


def _built(
    interface: Interface, operation: str, params: dict[str, Any], request_id: str, extensions: tuple[str, ...]
) -> WireRequest:
    headers = {"Accept": "text/event-stream" if operation in STREAMING else "application/json"}
    if not is_legacy(interface):
        headers["A2A-Version"] = interface.version
    if extensions:
        headers["X-A2A-Extensions" if is_legacy(interface) else "A2A-Extensions"] = ", ".join(extensions)
    if interface.binding == "JSONRPC":
        return _json_rpc(interface, operation, params, request_id, headers)
    return _http_json(interface, operation, params, headers)


def id_of(request: WireRequest) -> str:
    """The JSON-RPC id under which a request that was built here will be answered, "" in the other binding."""
    told = from_json(request.body) if request.body else {}
    return str(told.get("id", "")) if "jsonrpc" in told else ""


def _json_rpc(
    interface: Interface, operation: str, params: dict[str, Any], request_id: str, headers: dict[str, str]
) -> WireRequest:
    method = LEGACY_METHODS.get(operation, operation) if is_legacy(interface) else operation
    sent = params if interface.tenant is None else {"tenant": interface.tenant, **params}
    body = dump({"jsonrpc": "2.0", "id": request_id, "method": method, "params": sent})
    headers = {**headers, "Content-Type": "application/json"}
    return WireRequest(method="POST", url=interface.url, headers=headers, body=body, streams=operation in STREAMING)


def _http_json(interface: Interface, operation: str, params: dict[str, Any], headers: dict[str, str]) -> WireRequest:
    verb, path = _PATHS[operation]
    rest = dict(params)
    if "{id}" in path:
        task = str(rest.pop("id"))
        if task in DOTS or not task:
            raise InputRefused("request-unfit", f'the task id "{task}" leads to another path')
        path = path.replace("{id}", quote(task, safe=""))
    if is_legacy(interface):
        path = "/card" if operation == "GetExtendedAgentCard" else path
        path = f"/v1{path}"
    tenant = f"/{quote(interface.tenant, safe='')}" if interface.tenant is not None else ""
    base, _, query = interface.url.partition("?")
    url = base.rstrip("/") + tenant + path
    if verb == "GET" and rest:
        query = "&".join(part for part in (query, *(f"{quote(k)}={quote(str(v))}" for k, v in rest.items())) if part)
    body = dump(rest) if verb == "POST" else b""
    if body:
        media = "application/json" if is_legacy(interface) else "application/a2a+json"
        headers = {**headers, "Content-Type": media}
    full = f"{url}?{query}" if query else url
    return WireRequest(method=verb, url=full, headers=headers, body=body, streams=operation in STREAMING)
