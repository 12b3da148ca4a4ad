"""Pages of a registry: from a file, or through the door with what the operator allows and holds for it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.candidate import Page, PageRequest
from cardtrail.services.fetcher.page import LIMITS
from cardtrail.services.fetcher.registry_walk import Fetch
from cardtrail.services.outbound.address import host_matches, judge_url
from cardtrail.services.outbound.call import JSON, Call, Credential, Limits, Refusal, Send

_LONGEST = timedelta(minutes=10)
_LIMITS = Limits(total_s=60.0, wire_bytes=LIMITS.size, body_bytes=LIMITS.size)
_NO_LISTING = {"content-type": "a-page-not-json", "body-too-large": "page-too-large"}
"""What the door refuses because of what the registry has sent, in a walk's words."""


def page_fetch(
    registry: RegistrySettings, send: Send, credential: Credential | None, clock: Callable[[], datetime]
) -> Fetch:
    """One page: from a file, or through the door under the registry's limits; after ten minutes the walk has taken too long."""
    ends, policy = clock() + _LONGEST, registry.endpoints()

    async def fetch(request: PageRequest) -> Page | str:
        if "://" not in request.url:
            return _file(request)
        if clock() >= ends:
            return "too-slow"
        host = judge_url(request.url, policy).host
        own = credential if credential is not None and host_matches(host, credential.hosts) else None
        headers = {"Accept": ", ".join((JSON[0], "application/ai-catalog+json"))}
        answer = await send(Call(request.url, policy, headers=headers, credential=own, limits=_LIMITS))
        if isinstance(answer, Refusal):
            return _NO_LISTING.get(answer.reason, answer.reason)
        return Page(request=request, status=answer.status, data=answer.body)

    return fetch


def _file(request: PageRequest) -> Page | str:
    try:
        with Path(request.url.removeprefix("file:")).open("rb") as file:
            return Page(request=request, status=0, data=file.read(LIMITS.size + 1))
    except (OSError, ValueError):
        return "file-unreadable"
