"""A call follows the profile: URL, version, extensions, tenant, and only operations whose flag is true."""

import json
from typing import Any

import pytest

from cardtrail.events.model.profile import Extension, Interface, Profile, SkillProfile
from cardtrail.events.model.report import ReportedError
from cardtrail.services.planner.call import (
    CallPlan,
    CallRefused,
    Wanted,
    called,
    fall_back,
    plan_call,
    plan_extended_card,
)

PROFILE = Profile(
    usable=True,
    interface=Interface(url="https://a.example/rpc", binding="JSONRPC", version="1.0", tenant="acme"),
    streaming=True,
    extensions=(Extension(uri="https://e/known", known=True), Extension(uri="https://e/unknown")),
    skills={"quote": SkillProfile(input=("application/json",), output=("application/json",))},
)
WANTED = Wanted(
    skill="quote", message={"messageId": "m", "role": "ROLE_USER", "parts": []}, stream=True, request_id="r1"
)


def planned(profile: Profile = PROFILE, wanted: Wanted = WANTED, degraded: tuple[str, ...] = ()) -> CallPlan:
    plan = plan_call(profile, wanted, degraded=degraded)
    assert isinstance(plan, CallPlan)
    return plan


def test_the_request_carries_url_version_known_extensions_and_tenant() -> None:
    plan = planned()
    sent = json.loads(plan.request.body)
    assert (plan.request.url, plan.operation, sent["method"]) == (
        "https://a.example/rpc",
        "SendStreamingMessage",
        "SendStreamingMessage",
    )
    assert plan.request.headers["A2A-Version"] == "1.0"
    assert plan.request.headers["A2A-Extensions"] == "https://e/known"
    assert sent["params"]["tenant"] == "acme"
    assert "tenant" not in sent["params"]["message"]


def test_a_stream_has_its_plain_fallback_beside_it() -> None:
    fallback = planned().fallback
    assert fallback is not None
    assert json.loads(fallback.body)["method"] == "SendMessage"


@pytest.mark.parametrize(
    ("profile", "degraded"), [(PROFILE.model_copy(update={"streaming": False}), ()), (PROFILE, ("streaming",))]
)
def test_without_the_flag_or_degraded_the_plain_operation_is_used(profile: Profile, degraded: tuple[str, ...]) -> None:
    assert planned(profile, degraded=degraded).operation == "SendMessage"


@pytest.mark.parametrize(
    ("changes", "asked", "reason"),
    [
        ({"usable": False}, {}, "profile-unusable"),
        (
            {"interface": PROFILE.interface.model_copy(update={"binding": "GRPC"}) if PROFILE.interface else None},
            {},
            "binding-not-http",
        ),
        ({}, {"skill": "book"}, "skill-unknown"),
        ({}, {"sent_modes": ("text/csv",)}, "mode-not-taken"),
    ],
)
def test_what_the_profile_does_not_allow_is_refused_with_a_reason(
    changes: dict[str, object], asked: dict[str, object], reason: str
) -> None:
    refused = plan_call(PROFILE.model_copy(update=changes), WANTED.model_copy(update=asked))
    assert isinstance(refused, CallRefused)
    assert refused.reason == reason


def test_media_types_compare_without_case_and_parameters() -> None:
    assert planned(wanted=WANTED.model_copy(update={"sent_modes": ("Application/JSON; charset=utf-8",)}))


def test_the_extended_card_is_asked_for_only_when_the_flag_is_true() -> None:
    assert isinstance(plan_extended_card(PROFILE, request_id="r"), CallRefused)
    plan = plan_extended_card(PROFILE.model_copy(update={"extended_card": True}), request_id="r")
    assert isinstance(plan, CallPlan)
    assert json.loads(plan.request.body)["params"] == {"tenant": "acme"}


@pytest.mark.parametrize(
    "error",
    [
        ReportedError(name="UnsupportedOperationError"),
        ReportedError(code=-32004),
        ReportedError(reason="UNSUPPORTED_OPERATION", status=400),
        ReportedError(code=-32601),
    ],
)
def test_a_stream_that_the_agent_refused_becomes_the_plain_call(error: ReportedError) -> None:
    plain = fall_back(planned(), error)
    assert plain is not None
    assert (plain.operation, plain.fallback) == ("SendMessage", None)
    assert json.loads(plain.request.body)["method"] == "SendMessage"
    assert fall_back(plain, error) is None


@pytest.mark.parametrize(
    "error",
    [
        ReportedError(local="empty-stream"),
        ReportedError(local="not-a-stream", status=200),
        ReportedError(local="timeout"),
        ReportedError(status=503),
        ReportedError(name="ContentTypeNotSupportedError"),
    ],
)
def test_a_stream_that_may_have_been_acted_upon_is_not_repeated(error: ReportedError) -> None:
    assert fall_back(planned(), error) is None


def test_about_an_existing_task_a_refusal_says_nothing_of_streaming() -> None:
    message = {**WANTED.message, "taskId": "t1"}
    plan = planned(wanted=WANTED.model_copy(update={"message": message}))
    assert plan.task
    assert fall_back(plan, ReportedError(name="UnsupportedOperationError")) is None


def test_a_call_is_told_as_it_was_planned() -> None:
    plan = planned(wanted=WANTED.model_copy(update={"sent_modes": ("application/json",)}))
    call = called(plan, at="2026-11-30T12:00:00Z", latency_ms=12.5, error=None)
    assert (call.operation, call.skill, call.binding, call.version) == (
        "SendStreamingMessage",
        "quote",
        "JSONRPC",
        "1.0",
    )
    assert (call.extensions, call.sent_modes) == (("https://e/known",), ("application/json",))


@pytest.mark.parametrize(
    "message", [{"parts": [{"text": "\ud800"}]}, {"\ud800": 1}, {"parts": [{"number": float("nan")}]}]
)
def test_a_message_that_is_no_json_is_refused_and_not_raised(message: dict[str, Any]) -> None:
    refused = plan_call(PROFILE, WANTED.model_copy(update={"message": message}))
    assert isinstance(refused, CallRefused)
    assert refused.reason == "request-unfit"
