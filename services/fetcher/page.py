"""Reading a registry's page strictly: a failed listing means that nothing is known, never that the agents are gone."""

from typing import Any
from urllib.parse import urlsplit

from cardtrail.events.errors import DocumentRefused
from cardtrail.services.card.parse import Document, Limits, parse
from cardtrail.services.fetcher.candidate import Page

LIMITS = Limits(size=8 * 1024 * 1024, depth=64, entries=500_000)
_PROBLEMS = {
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    410: "not-found",
    429: "throttled",
    501: "not-found",
}


def page_document(page: Page) -> Document | str:
    """The page's JSON object, or the problem with it in kebab-case."""
    document = _document(page)
    if isinstance(document, str) or isinstance(document.value, dict | list):
        return document
    return "not-a-listing"


def _document(page: Page) -> Document | str:
    if page.status not in {0, 200}:
        unexpected = "unavailable" if page.status >= 500 else f"status-{page.status}"  # noqa: PLR2004 — server errors
        return _PROBLEMS.get(page.status, unexpected)
    try:
        return parse(page.data, LIMITS)
    except DocumentRefused as refused:
        return "a-page-not-json" if refused.code == "card-unreadable" else refused.code


def is_web_url(value: Any) -> bool:  # noqa: ANN401 — any JSON value
    """Whether the value is an absolute http or https URL with a host; whether it may be called is judged where it is called."""
    if not isinstance(value, str) or len(value) > 2048:  # noqa: PLR2004 — longer than any server takes
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and value.isprintable() and " " not in value
