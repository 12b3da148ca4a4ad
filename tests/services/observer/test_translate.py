"""What a failed call proves: the claim it contradicts, or that it contradicts none, and whose fault it was."""

import pytest

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Alternative, Extension, Interface, Profile, SkillProfile
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.services.observer.translate import read_error

PROFILE = Profile(
    usable=True,
    interface=Interface(url="https://a.example", binding="JSONRPC", version="1.0"),
    streaming=True,
    push=True,
    extended_card=True,
    extensions=(Extension(uri="https://e/1", required=True, known=True),),
    skills={"quote": SkillProfile(input=("application/json",), output=("application/json",))},
)
AT = "2026-11-30T09:00:00Z"


def call(operation: str = "SendMessage", **more: object) -> Call:
    return Call.model_validate({"at": AT, "operation": operation, "version": "1.0", **more})


def named(name: str, **more: object) -> ReportedError:
    return ReportedError.model_validate({"name": name, **more})


@pytest.mark.parametrize(
    ("made", "error", "claim", "attribution"),
    [
        (call("SendStreamingMessage"), named("UnsupportedOperationError"), Claim(kind="streaming"), "provider"),
        (call("SendStreamingMessage", task=True), named("UnsupportedOperationError"), None, "unknown"),
        (call("SendMessage"), named("UnsupportedOperationError"), None, "unknown"),
        (call("GetExtendedAgentCard"), named("UnsupportedOperationError"), Claim(kind="extended-card"), "provider"),
        (
            call("GetExtendedAgentCard"),
            named("ExtendedAgentCardNotConfiguredError"),
            Claim(kind="extended-card"),
            "provider",
        ),
        (
            call(skill="quote", sent_modes=("application/JSON",)),
            named("ContentTypeNotSupportedError"),
            Claim(kind="input-mode", skill="quote", value="application/JSON"),
            "provider",
        ),
        (call(skill="quote", sent_modes=("text/csv",)), named("ContentTypeNotSupportedError"), None, "ours"),
        (
            call(skill="quote", sent_modes=("application/json", "text/plain")),
            named("ContentTypeNotSupportedError"),
            None,
            "unknown",
        ),
        (call(sent_modes=("application/json",)), named("ContentTypeNotSupportedError"), None, "unknown"),
        (
            call(extensions=("https://e/1",)),
            named("ExtensionSupportRequiredError"),
            Claim(kind="required-extensions"),
            "provider",
        ),
        (call(), named("ExtensionSupportRequiredError"), None, "ours"),
        (call(), named("VersionNotSupportedError"), Claim(kind="version", value="JSONRPC 1.0"), "provider"),
        (call(), named("VersionNotSupportedError", message="version 0.3 is not supported"), None, "network"),
        (
            call(),
            named("VersionNotSupportedError", message="1.0 is not supported, only 0.3"),
            Claim(kind="version", value="JSONRPC 1.0"),
            "provider",
        ),
        (
            call(),
            named("VersionNotSupportedError", message="Supported versions: 0.3"),
            Claim(kind="version", value="JSONRPC 1.0"),
            "provider",
        ),
        (call(version=""), named("VersionNotSupportedError"), None, "ours"),
        (call(), ReportedError(code=-32601), Claim(kind="version", value="JSONRPC 1.0"), "provider"),
        (call(), ReportedError(reason="PUSH_NOTIFICATION_NOT_SUPPORTED"), Claim(kind="push"), "provider"),
        (call("GetTask", task=True), ReportedError(code=-32001), None, "unknown"),
        *((call(), ReportedError(status=status), None, "throttle") for status in (420, 425, 429, 503, 509, 529)),
        (call(), ReportedError(status=401), Claim(kind="security", value="anonymous"), "provider"),
        (call(authenticated=True), ReportedError(status=401), None, "ours"),
        (call(), ReportedError(local="timeout"), None, "network"),
        (
            call("SendStreamingMessage"),
            ReportedError(local="empty-stream", status=200),
            Claim(kind="streaming"),
            "provider",
        ),
        (call(), ReportedError(status=500), None, "provider"),
        (call(), ReportedError(code=-32602), None, "ours"),
    ],
)
def test_an_error_contradicts_exactly_the_claim_it_speaks_of(
    made: Call, error: ReportedError, claim: Claim | None, attribution: str
) -> None:
    reading = read_error(made, error, PROFILE)
    assert (reading.contradicts, reading.attribution) == (claim, attribution)


BARE = PROFILE.model_copy(update={"streaming": False, "push": False, "extended_card": False})


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        ("SendStreamingMessage", named("UnsupportedOperationError")),
        ("SendStreamingMessage", ReportedError(local="empty-stream")),
        ("GetExtendedAgentCard", named("UnsupportedOperationError")),
        ("GetExtendedAgentCard", named("ExtendedAgentCardNotConfiguredError")),
        ("CreateTaskPushNotificationConfig", named("PushNotificationNotSupportedError")),
    ],
)
def test_what_a_card_does_not_claim_no_error_contradicts(operation: str, error: ReportedError) -> None:
    assert read_error(call(operation), error, PROFILE).contradicts is not None
    assert read_error(call(operation), error, BARE).contradicts is None


def test_a_refused_credential_is_no_evidence_against_an_agent_that_declares_one() -> None:
    declared = PROFILE.model_copy(update={"security": (Alternative(schemes={"key": ()}),)})
    assert read_error(call(), ReportedError(status=401), declared).attribution == "ours"
