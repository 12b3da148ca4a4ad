"""Which claim a failed call speaks against, and whose fault it was (A2A 1.0.1 §3.3.2, §5.4; reading rules of the errors).

Pure. A finished task, a lost header, a throttle or a network fault say nothing about a claim.
"""

from typing import Literal

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Profile
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.events.model.value import Value
from cardtrail.services.wire.errors import BY_CODE, BY_REASON, refused_version
from cardtrail.services.wire.request import STREAMING

Attribution = Literal["provider", "network", "throttle", "ours", "unknown"]
_NETWORK = {"timeout", "connect", "tls"}
_BUSY = {420, 425, 429, 503, 509, 529}
_BROKEN_STREAM = {"empty-stream", "not-a-stream"}


class Reading(Value):
    """What a failed call means: the A2A or local name, the claim it contradicts (None = none), whose fault, in words."""

    name: str
    contradicts: Claim | None = None
    attribution: Attribution = "unknown"
    detail: str = ""


def read_error(call: Call, error: ReportedError, profile: Profile) -> Reading:
    """Judge one failed call against the profile that allowed it."""
    name = error.name or BY_REASON.get(error.reason) or BY_CODE.get(error.code or 0, "")
    judge = _BY_NAME.get(name)
    if judge is not None:
        contradicts, attribution, detail = judge(call, error, profile)
        return Reading(name=name, contradicts=contradicts, attribution=attribution, detail=detail)
    return _local(call, error, profile, name)


_Judged = tuple[Claim | None, Attribution, str]


def _local(call: Call, error: ReportedError, profile: Profile, name: str) -> Reading:
    shown = name or error.local or (f"http-{error.status}" if error.status else "other")
    if error.status in _BUSY:
        return Reading(
            name=shown, attribution="throttle", detail="throttled or unavailable: it says nothing about a claim"
        )
    if error.status in {401, 403}:
        return _let_in(call, profile, shown)
    if error.local in _BROKEN_STREAM and call.operation in STREAMING and profile.streaming:
        return Reading(name=shown, contradicts=Claim(kind="streaming"), attribution="provider", detail="no event came")
    if error.local in _NETWORK:
        return Reading(name=shown, attribution="network", detail="the call did not reach an answer")
    return Reading(name=shown, attribution="provider" if error.status >= 500 else "unknown")  # noqa: PLR2004 — HTTP


def _let_in(call: Call, profile: Profile, name: str) -> Reading:
    anonymous = not profile.security or any(not way.schemes for way in profile.security)
    if anonymous and not call.authenticated:
        return Reading(
            name=name,
            contradicts=Claim(kind="security", value="anonymous"),
            attribution="provider",
            detail="the card asks for no authentication, the agent does",
        )
    return Reading(name=name, attribution="ours", detail="our credential was not accepted")


def _unsupported(call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    if call.task:
        return None, "unknown", "about a task that may have ended"
    if call.operation == "SendStreamingMessage":
        return _claimed("streaming", "the streaming call is not supported", claimed=profile.streaming)
    if call.operation == "GetExtendedAgentCard":
        return _claimed("extended-card", "the extended card is not supported", claimed=profile.extended_card)
    return None, "unknown", "the operation is not one that a claim allows"


def _claimed(kind: str, detail: str, *, claimed: bool) -> _Judged:
    """An error against a flag contradicts it where it is set; else the call was one that the card does not allow."""
    return (
        (Claim(kind=kind), "provider", detail)
        if claimed
        else (None, "ours", f"{detail}, and the card does not claim it")
    )


def _content_type(call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    have = profile.skills.get(call.skill or "")
    if have is None or len(call.sent_modes) != 1:
        return None, "unknown", "it does not say which of the media types, or for which skill"
    (sent,) = call.sent_modes
    if sent.lower() in {mode.lower() for mode in have.input}:
        return Claim(kind="input-mode", skill=call.skill, value=sent), "provider", "a declared media type was not taken"
    return None, "ours", "the skill does not declare the media type that was sent"


def _push(_call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    return _claimed("push", "push notifications are not supported", claimed=profile.push)


def _not_configured(_call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    return _claimed("extended-card", "nothing is configured: the public card serves", claimed=profile.extended_card)


def _extension(call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    required = {extension.uri for extension in profile.extensions if extension.required}
    if required <= set(call.extensions):
        return Claim(kind="required-extensions"), "provider", "more extensions are required than the card says"
    return None, "ours", "a required extension was not declared with the call"


def _version(call: Call, error: ReportedError, profile: Profile) -> _Judged:
    chosen = profile.interface
    if chosen is None or call.version != chosen.version:
        return None, "ours", "the call did not carry the interface's version"
    if refused_version(error.message) == "0.3" and not chosen.version.startswith("0."):
        return None, "network", "the agent saw 0.3: the version header was lost on the way"
    return (
        Claim(kind="version", value=f"{chosen.binding} {chosen.version}"),
        "provider",
        "the declared version is not spoken",
    )


def _no_method(call: Call, _error: ReportedError, profile: Profile) -> _Judged:
    chosen = profile.interface
    if chosen is None or chosen.version.startswith("0.") or not call.operation[:1].isupper():
        return None, "unknown", "the method is unknown to the agent"
    claim = Claim(kind="version", value=f"{chosen.binding} {chosen.version}")
    return claim, "provider", "a 1.0 method is unknown: probably a 0.3 server"


def _nothing(_call: Call, _error: ReportedError, _profile: Profile) -> _Judged:
    return None, "unknown", "about the task or the answer, not about a claim"


def _ours(_call: Call, _error: ReportedError, _profile: Profile) -> _Judged:
    return None, "ours", "the request was not in order"


_BY_NAME = {
    "UnsupportedOperationError": _unsupported,
    "ContentTypeNotSupportedError": _content_type,
    "PushNotificationNotSupportedError": _push,
    "ExtendedAgentCardNotConfiguredError": _not_configured,
    "ExtensionSupportRequiredError": _extension,
    "VersionNotSupportedError": _version,
    "MethodNotFoundError": _no_method,
    "TaskNotFoundError": _nothing,
    "TaskNotCancelableError": _nothing,
    "InvalidAgentResponseError": _nothing,
    "InvalidRequestError": _ours,
    "InvalidParamsError": _ours,
    "JSONParseError": _ours,
}
