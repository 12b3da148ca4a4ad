"""What a request of the a2a-sdk's client says, in the words of a report. Pure: the request comes as its JSON document."""

from collections.abc import Mapping
from typing import Any, Protocol

from cardtrail.events.model.profile import Profile
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.services.planner.values import CurrentProfile
from cardtrail.services.wire.answer import media_types

SECRETS = frozenset(("authorization", "cookie", "x-api-key", "api-key"))
_ABOUT_TASKS = frozenset(("GetTask", "CancelTask", "SubscribeToTask"))
_MOST = 60


class Told(Protocol):
    """What is needed of a planner here; `Planner` is one."""

    def profile(self, agent: str) -> CurrentProfile | None:
        """The profile of an agent."""

    def avoided(self, agent: str) -> frozenset[str]:
        """Operations of an agent to avoid for now."""

    def refused(self, agent: str, profile_digest: str, error: ReportedError, *, task: bool) -> bool:
        """Whether a stream that failed was refused, so that the plain call may be made."""

    def report_call(self, agent: str, profile_digest: str, call: Call) -> None:
        """Take a call."""


def demanded(profile: Profile, url: str) -> tuple[str | None, list[str]]:
    """What a call to this interface must carry: its tenant, and the extensions that the agent requires and we know."""
    tenant = next((one.tenant for one in (profile.interface, *profile.interfaces) if one and one.url == url), None)
    return tenant, [one.uri for one in profile.extensions if one.required and one.known]


def read_call(  # noqa: PLR0913 — where each part of a call is known from
    operation: str, document: Mapping[str, Any], sent: Mapping[str, str], *, at: str, binding: str, skill: str | None
) -> Call:
    """The call without its outcome; `sent` are the request's headers, as far as the SDK knows them."""
    headers = {name.lower(): value for name, value in sent.items()}
    uris = [uri.strip() for uri in headers.get("a2a-extensions", "").split(",")]
    return Call(
        at=at,
        operation=operation[:_MOST],
        skill=skill,
        binding=binding,
        version=headers["a2a-version"],
        extensions=tuple(uri for uri in uris if uri),
        sent_modes=tuple(dict.fromkeys(media_types(document))),
        accepted_modes=tuple(document.get("configuration", {}).get("acceptedOutputModes", ())),
        task=operation in _ABOUT_TASKS or "taskId" in document.get("message", {}),
        authenticated=not SECRETS.isdisjoint(headers),
    )
