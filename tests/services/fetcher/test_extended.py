"""The extended card: asked for when it may be, read whatever carries it, and never taken for what it is not."""

import asyncio
import json
from typing import Any

import pytest

from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.fetcher.extended import (
    ExtendedCard,
    PublicInstead,
    extended_request,
    read_extended,
    why_not_asked,
)
from cardtrail.services.outbound.call import Answer, Refusal

PUBLIC = {
    "name": "Rates",
    "description": "Quotes rates",
    "version": "3.2.0",
    "supportedInterfaces": [
        {"url": "https://rates.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": version}
        for version in ("1.0", "0.3")
    ],
    "capabilities": {"extendedAgentCard": True},
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json"],
    "skills": [{"id": "quote", "name": "Quote", "description": "d", "tags": ["fx"]}],
}
EXTENDED = PUBLIC | {"skills": [{"id": "audit", "name": "Audit", "description": "d", "tags": ["fx"]}]}
RPC = Interface(url="https://rates.example/a2a", binding="JSONRPC", version="1.0")
REST = Interface(url="https://rates.example/rest", binding="HTTP+JSON", version="1.0")
BODY = json.dumps(PUBLIC).encode()


def answer(value: Any, status: int = 200, media_type: str = "application/json") -> Answer:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Answer(status, "https://rates.example/a2a", {}, body, media_type, "192.0.2.1", 7)


def rpc(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "1", **members}


def rpc_error(code: int) -> dict[str, Any]:
    return rpc(error={"code": code, "message": "no"})


def rest_error(reason: str) -> dict[str, Any]:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"}
    return {"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "no", "details": [info]}}


@pytest.mark.parametrize(
    ("profile", "has_credential", "why"),
    [
        (Profile(usable=True, extended_card=True, interface=RPC), True, ""),
        (Profile(usable=True, extended_card=False, interface=RPC), True, "not-declared"),
        (Profile(usable=True, extended_card=True, interface=RPC), False, "no-credential"),
        (Profile(usable=False, extended_card=True), True, "no-interface"),
        (
            Profile(usable=True, extended_card=True, interface=RPC.model_copy(update={"binding": "GRPC"})),
            True,
            "binding-not-spoken",
        ),
    ],
)
def test_it_is_asked_for_only_where_declared_spoken_and_with_a_credential(
    profile: Profile, has_credential: bool, why: str
) -> None:
    assert why_not_asked(profile, has_credential=has_credential) == why


@pytest.mark.parametrize(
    ("interface", "method", "url"),
    [
        (REST, "GET", "https://rates.example/rest/extendedAgentCard"),
        (REST.model_copy(update={"tenant": "t/1"}), "GET", "https://rates.example/rest/t%2F1/extendedAgentCard"),
        (REST.model_copy(update={"version": "0.3"}), "GET", "https://rates.example/rest/v1/card"),
        (RPC, "POST", "https://rates.example/a2a"),
    ],
)
def test_the_request_follows_binding_version_and_tenant(interface: Interface, method: str, url: str) -> None:
    request = extended_request(interface, request_id="1")
    assert (request.method, request.url) == (method, url)


@pytest.mark.parametrize(
    ("version", "rpc_method"),
    [
        ("1.0", "GetExtendedAgentCard"),
        ("0.3", "agent/getAuthenticatedExtendedCard"),
        ("", "agent/getAuthenticatedExtendedCard"),
    ],
)
def test_the_json_rpc_method_has_the_name_of_its_generation(version: str, rpc_method: str) -> None:
    request = extended_request(RPC.model_copy(update={"version": version, "tenant": "eu"}), request_id="9")
    body = json.loads(request.body)
    assert (body["method"], body["params"], body["id"]) == (rpc_method, {"tenant": "eu"}, "9")


def test_a_card_is_cut_verbatim_out_of_its_envelope() -> None:
    odd = '{ "name":"A\\u00e9", "n":1.0,\n "name":"A\\u00e9" }'
    for envelope in (
        f'{{"jsonrpc":"2.0","result":{odd},"id":"1"}}',
        f'{{\n "id": "1",\n "result"\n:\n  {odd},"jsonrpc":"2.0"}}',
    ):
        read = read_extended(RPC, answer(envelope.encode()), BODY)
        assert isinstance(read, ExtendedCard)
        assert read.body.decode() == odd
    rest = read_extended(REST, answer(EXTENDED, media_type="application/a2a+json"), BODY)
    assert rest == ExtendedCard(json.dumps(EXTENDED).encode())


@pytest.mark.parametrize("identifier", ["2", 1, None, ["1"], ""])
def test_a_result_under_another_id_is_not_for_this_principal(identifier: object) -> None:
    given = answer({"jsonrpc": "2.0", "id": identifier, "result": EXTENDED})
    read = read_extended(RPC, given, BODY, request_id="1")
    assert isinstance(read, Refusal)
    assert (read.stage, read.reason, read.fault) == ("fetch", "answer-mismatched", "provider")
    assert isinstance(read_extended(REST, answer(EXTENDED), BODY, request_id="1"), ExtendedCard)


def test_the_public_card_given_for_the_extended_one_is_noticed_however_it_is_spelled() -> None:
    again = dict(reversed(PUBLIC.items())) | {
        "url": "https://old.example",
        "signatures": [{"protected": "x", "signature": "y"}],
    }
    for interface, value in ((RPC, rpc(result=again)), (REST, again)):
        read = read_extended(interface, answer(value), BODY)
        assert isinstance(read, ExtendedCard)
        assert [finding.name for finding in read.findings] == ["extended-is-public"]
    distinct = read_extended(RPC, answer(rpc(result=EXTENDED)), BODY)
    assert isinstance(distinct, ExtendedCard)
    assert distinct.findings == ()


@pytest.mark.parametrize("status", [200, 400, 404, 500, 501])
@pytest.mark.parametrize(
    ("interface", "body", "name"),
    [
        (RPC, rpc_error(-32007), "extended-not-configured"),
        (RPC, rpc_error(-32004), "extended-unsupported"),
        (RPC, rpc_error(-32601), "extended-unsupported"),
        (REST, rest_error("EXTENDED_AGENT_CARD_NOT_CONFIGURED"), "extended-not-configured"),
        (REST, rest_error("UNSUPPORTED_OPERATION"), "extended-unsupported"),
        (REST, rpc_error(-32007), "extended-not-configured"),
    ],
)
def test_both_error_codes_fall_back_to_the_public_card_with_a_note(
    interface: Interface, body: Any, name: str, status: int
) -> None:
    read = read_extended(interface, answer(body, status), BODY)
    assert isinstance(read, PublicInstead)
    assert [finding.name for finding in read.findings] == [name]


@pytest.mark.parametrize(
    ("interface", "given", "stage", "reason"),
    [
        (RPC, answer(b"", 401), "authenticate", "unauthorized"),
        (REST, answer({"detail": "who?"}, 403), "authenticate", "forbidden"),
        (RPC, answer(b"slow down", 429, "text/plain"), "fetch", "throttled"),
        (REST, answer(b"", 503), "fetch", "unavailable"),
        (REST, answer(b"oops", 500, "text/plain"), "fetch", "server-error"),
        (RPC, answer(rpc_error(-32603), 500), "fetch", "extended-card-error"),
        (RPC, answer(rpc_error(-32009)), "fetch", "extended-card-error"),
        (REST, answer({"detail": "Not Found"}, 404), "fetch", "not-an-extended-card"),
        (RPC, answer(b"<html>login</html>", 200, "text/html"), "fetch", "not-an-extended-card"),
        (RPC, answer(EXTENDED), "fetch", "not-an-extended-card"),
        (RPC, answer(rpc(result=None)), "parse", "not-a-card"),
        (RPC, answer(rpc(result=[EXTENDED])), "parse", "not-a-card"),
        (REST, answer([EXTENDED]), "fetch", "not-an-extended-card"),
        (RPC, answer(b'{"jsonrpc":"2.0","result":{"a":1,"a":2},"id":"1"}'), "fetch", "not-an-extended-card"),
    ],
)
def test_everything_else_leaves_the_last_good_profile_and_says_why(
    interface: Interface, given: Answer, stage: str, reason: str
) -> None:
    read = read_extended(interface, given, BODY)
    assert isinstance(read, Refusal)
    assert (read.stage, read.reason, read.status, read.address) == (stage, reason, given.status, "192.0.2.1")


def sdk_server(extended: dict[str, Any] | None, *, flag: bool = True) -> Any:
    """The real server of the Python SDK with every binding mounted, its 0.3 form included."""
    pytest.importorskip("starlette", reason="the SDK's HTTP server is not installed")
    pytest.importorskip("a2a.server.routes.jsonrpc_routes", reason="the A2A SDK is not installed")
    from a2a.server.agent_execution import AgentExecutor
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
    from a2a.server.routes.rest_routes import create_rest_routes
    from a2a.server.tasks import InMemoryTaskStore
    from a2a.types import AgentCard
    from google.protobuf.json_format import ParseDict
    from starlette.applications import Starlette

    class Idle(AgentExecutor):
        async def execute(self, context: Any, event_queue: Any) -> None:  # noqa: ARG002 — the SDK's signature
            raise AssertionError("nothing is sent to this agent")

        async def cancel(self, context: Any, event_queue: Any) -> None:  # noqa: ARG002 — the SDK's signature
            raise AssertionError("nothing is sent to this agent")

    public = ParseDict(PUBLIC | {"capabilities": {"extendedAgentCard": flag}}, AgentCard())
    handler = DefaultRequestHandler(
        Idle(), InMemoryTaskStore(), public, extended_agent_card=ParseDict(extended, AgentCard()) if extended else None
    )
    routes = [
        *create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=True),
        *create_rest_routes(handler, enable_v0_3_compat=True),
    ]
    return Starlette(routes=routes)


def asked(app: Any, interface: Interface) -> ExtendedCard | PublicInstead | Refusal:
    import httpx

    async def ask() -> ExtendedCard | PublicInstead | Refusal:
        request = extended_request(interface, request_id="1")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            got = await client.request(request.method, request.url, headers=request.headers, content=request.body)
        media_type = got.headers.get("content-type", "")
        return read_extended(interface, Answer(got.status_code, request.url, {}, got.content, media_type), BODY)

    return asyncio.run(ask())


ROOT = REST.model_copy(update={"url": "https://rates.example"})  # a path prefix comes after the tenant in this server
BINDINGS = [
    interface.model_copy(update=changes)
    for changes in ({}, {"tenant": "eu"}, {"version": "0.3"})
    for interface in (RPC, ROOT)
]
NAMES = ["rpc", "rest", "rpc-tenant", "rest-tenant", "rpc-0.3", "rest-0.3"]


@pytest.mark.parametrize("interface", BINDINGS, ids=NAMES)
def test_the_sdks_own_server_gives_its_extended_card_over_every_binding(interface: Interface) -> None:
    read = asked(sdk_server(EXTENDED), interface)
    assert isinstance(read, ExtendedCard), read
    card = json.loads(read.body)
    assert [skill["id"] for skill in card["skills"]] == ["audit"]
    assert read.findings == ()


@pytest.mark.parametrize("interface", BINDINGS[:4], ids=NAMES[:4])
def test_the_sdks_own_server_without_one_makes_us_use_the_public_card(interface: Interface) -> None:
    missing = asked(sdk_server(None), interface)
    assert isinstance(missing, PublicInstead), missing
    assert missing.findings[0].code == "CT110"
    undeclared = asked(sdk_server(EXTENDED, flag=False), interface)
    assert isinstance(undeclared, PublicInstead), undeclared
    assert undeclared.findings[0].code == "CT111"
