"""What an exception of the a2a-sdk's client (1.3) says of the call, in the words of a report. Reads attributes, imports no SDK.

The SDK raises an A2A error under its own name, and wraps everything else. An answer with a bad HTTP status loses its body on
the way, although the agent's error may stand in it (A2A 1.0.1 §9.5, §11.6: by code or reason, never by status): so the
answer behind the exception is read again here.
"""

import re
import ssl
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

from cardtrail.events.model.report import ReportedError
from cardtrail.services.wire.errors import BY_CODE, CODE_OF, A2AError, from_http_json, from_json_rpc

_RPC = re.compile(r"JSON-RPC Error (-?\d{1,9}):")
_TEXT = 300
_BODY_BYTES = 1 << 20


def read_exception(error: BaseException) -> ReportedError:
    """The A2A name and code where the agent gave one, the HTTP status, else what went wrong on our side of the wire."""
    chain = tuple(_chain(error))
    message = str(error)[:_TEXT]
    response = next((held for one in chain if (held := getattr(one, "response", None)) is not None), None)
    if response is not None:
        return _answered(response, message)
    name = next((type(one).__name__ for one in chain if type(one).__name__ in CODE_OF), "")
    if name:
        return ReportedError(name=name, code=CODE_OF[name], message=message)
    said = _RPC.match(message)
    if said:
        code = int(said[1])
        return ReportedError(name=BY_CODE.get(code, ""), code=code, message=message)
    return ReportedError(local=_local(chain), message=message)


def _answered(response: Any, message: str) -> ReportedError:  # noqa: ANN401 — an httpx response, or what resembles it
    status = int(getattr(response, "status_code", 0) or 0)
    found = _error_in(response)
    if found is None:
        return ReportedError(status=status, message=message)
    return ReportedError(
        name=found.name, code=found.code, reason=found.reason, status=status, message=found.message or message
    )


def _error_in(response: Any) -> A2AError | None:  # noqa: ANN401 — as above
    try:
        body = from_json(bytes(response.content)[:_BODY_BYTES])
    except Exception:  # noqa: BLE001 — a body that was never read, or is no JSON, says nothing
        return None
    if not isinstance(body, dict):
        return None
    found = (from_json_rpc(body.get("error")), from_http_json(body))
    return next((one for one in found if one is not None and one.name), next((one for one in found if one), None))


def _local(chain: tuple[BaseException, ...]) -> str:
    names = {base.__name__ for one in chain for base in type(one).__mro__}
    if names & {"A2AClientTimeoutError", "TimeoutException", "TimeoutError"}:
        return "timeout"
    refusals = [getattr(one, "refusal", None) for one in chain]
    reasons = {getattr(refusal, "reason", "") for refusal in refusals if refusal is not None}
    if any(isinstance(one, ssl.SSLError) for one in chain) or any(
        reason.startswith(("certificate-", "tls-")) for reason in reasons
    ):
        return "tls"
    if reasons & {"body-too-large", "decompressed-too-large", "headers-too-large"}:
        return "too-large"
    if names & {"ConnectError", "NetworkError"}:
        return "connect"
    return (
        "not-a2a" if names & {"ParseError", "JSONDecodeError", "ValueError"} or "Invalid" in str(chain[0]) else "other"
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
