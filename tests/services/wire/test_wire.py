"""The wire: errors are known by code and reason, answers are read before their status, requests follow the profile."""

import json
import os
from pathlib import Path

import pytest

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.profile import Interface
from cardtrail.services.wire.answer import read_answer
from cardtrail.services.wire.errors import BY_CODE, BY_REASON, from_http_json, from_json_rpc, refused_version
from cardtrail.services.wire.request import build

RPC = Interface(url="https://a.example/rpc", binding="JSONRPC", version="1.0", tenant="t/1")
REST = Interface(url="https://a.example/v1/", binding="HTTP+JSON", version="1.0")
INFO = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "UNSUPPORTED_OPERATION",
    "domain": "a2a-protocol.org",
}


def test_the_error_table_is_the_published_one() -> None:
    if "CARDTRAIL_SHARED" not in os.environ:
        pytest.skip("CARDTRAIL_SHARED names no folder with the protocol tables")
    table = json.loads((Path(os.environ["CARDTRAIL_SHARED"]) / "spec/a2a-errors.json").read_text())
    for row in table["a2a"] + table["draft_1_1"]:
        assert BY_CODE[row["jsonRpcCode"]] == row["name"]
        assert BY_REASON[row["reason"]] == row["name"]
    assert all(BY_CODE[row["code"]] == row["name"] for row in table["jsonRpcStandard"])


@pytest.mark.parametrize("data", [None, INFO, [INFO], [{"@type": "x"}, INFO]])
def test_an_error_is_known_by_code_or_by_reason_in_a_list_or_alone(data: object) -> None:
    error = from_json_rpc({"code": -32004, "message": "no", "data": data})
    assert error is not None
    assert error.name == "UnsupportedOperationError"


def test_the_reason_outranks_a_private_code() -> None:
    error = from_json_rpc({"code": -1, "message": "no", "data": [INFO]})
    assert error is not None
    assert (error.name, error.code) == ("UnsupportedOperationError", -1)


@pytest.mark.parametrize("hostile", [None, 5, [], {"code": True}, {"code": "x", "data": 3, "message": {"a": 1}}])
def test_a_hostile_error_object_is_read_without_a_fall(hostile: object) -> None:
    error = from_json_rpc(hostile)
    assert error is None or error.name == ""
    assert from_http_json({"error": hostile}) is None or isinstance(hostile, dict)


@pytest.mark.parametrize("status", [200, 400, 500, 429])
def test_an_a2a_error_is_one_whatever_status_carries_it(status: int) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32005, "message": "text/csv"}}
    assert read_answer("JSONRPC", status, "application/json", body).kind == "error"
    rest = {"error": {"code": status, "status": "INVALID_ARGUMENT", "message": "no", "details": [INFO]}}
    answer = read_answer("HTTP+JSON", status, "application/a2a+json", rest)
    assert answer.error is not None
    assert answer.error.name == "UnsupportedOperationError"


@pytest.mark.parametrize(
    ("status", "media", "document", "kind"),
    [
        (429, "text/plain", DocumentRefused("json-syntax", "slow down"), "throttled"),
        (429, "application/json", {"detail": "slow"}, "throttled"),
        (401, "application/json", {"error": "login"}, "unauthorized"),
        (503, "text/html", DocumentRefused("card-unreadable", "html"), "unavailable"),
        (200, "text/event-stream; charset=utf-8", DocumentRefused("json-syntax", ""), "stream"),
        (200, "application/json", DocumentRefused("json-empty", "nothing"), "empty"),
        (200, "text/html", DocumentRefused("json-syntax", "html"), "not-a2a"),
        (200, "application/json", {"jsonrpc": "2.0", "id": 1, "result": {"task": {}}}, "result"),
        (200, "application/json", ["x"], "not-a2a"),
    ],
)
def test_an_answer_is_judged_by_body_then_status(status: int, media: str, document: object, kind: str) -> None:
    assert read_answer("JSONRPC", status, media, document).kind == kind


def test_the_tenant_travels_in_the_request_object_or_in_front_of_the_path() -> None:
    rpc = build(RPC, "SendMessage", {"message": {}}, request_id="r1", extensions=("https://e/1", "https://e/2"))
    assert json.loads(rpc.body) == {
        "jsonrpc": "2.0",
        "id": "r1",
        "method": "SendMessage",
        "params": {"tenant": "t/1", "message": {}},
    }
    assert (rpc.headers["A2A-Version"], rpc.headers["A2A-Extensions"]) == ("1.0", "https://e/1, https://e/2")
    rest = build(
        REST.model_copy(update={"tenant": "t/1"}), "GetTask", {"id": "a b", "historyLength": 0}, request_id="r"
    )
    assert rest.url == "https://a.example/v1/t%2F1/tasks/a%20b?historyLength=0"


def test_without_tenant_none_is_sent_and_no_prefix_is_guessed() -> None:
    assert (
        "tenant"
        not in json.loads(build(RPC.model_copy(update={"tenant": None}), "GetTask", {"id": "x"}, request_id="r").body)[
            "params"
        ]
    )
    assert build(REST, "SendMessage", {"message": {}}, request_id="r").url == "https://a.example/v1/message:send"


def test_a_legacy_interface_gets_its_own_names_and_no_version_header() -> None:
    old = RPC.model_copy(update={"version": "0.3"})
    sent = build(old, "GetExtendedAgentCard", {}, request_id="r", extensions=("https://e/1",))
    assert json.loads(sent.body)["method"] == "agent/getAuthenticatedExtendedCard"
    assert "A2A-Version" not in sent.headers
    assert sent.headers["X-A2A-Extensions"] == "https://e/1"
    assert (
        build(
            REST.model_copy(update={"version": "0.3", "url": "https://a.example"}),
            "GetExtendedAgentCard",
            {},
            request_id="r",
        ).url
        == "https://a.example/v1/card"
    )


def test_a_stream_is_asked_for_as_one() -> None:
    assert build(REST, "SendStreamingMessage", {"message": {}}, request_id="r").streams
    assert build(REST, "SendStreamingMessage", {"message": {}}, request_id="r").headers["Accept"] == "text/event-stream"


@pytest.mark.parametrize(
    ("message", "version"),
    [
        ("A2A version '0.3' is not supported by this handler. Expected version '1.0'.", "0.3"),
        ("Unsupported version: 0.3. Supported versions: 1.0", "0.3"),
        ("version 99.0 not supported (supported: 0.3, 1.0)", "99.0"),
        ("Supported versions: 0.3", ""),
        ("only 1.0 is spoken here", ""),
        ("no", ""),
        ("", ""),
    ],
)
def test_a_refused_version_is_told_from_those_that_are_supported(message: str, version: str) -> None:
    assert refused_version(message) == version
