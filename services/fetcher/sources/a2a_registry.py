"""The public A2A registry's API: a paged list of records. A record is no card: its `wellKnownURI` says where the card is.

Records are flattened and go stale; skills, security and interfaces in them are never read as the agent's own word.
"""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cardtrail.services.fetcher.candidate import (
    Candidate,
    EntryRefused,
    Listing,
    Page,
    PageRequest,
    items,
    text,
    texts,
    whole,
)
from cardtrail.services.fetcher.page import is_web_url, page_document

_LIMIT = 100


class A2aRegistry:
    """The API's base URL, with or without `/api`."""

    name = "a2a-registry"

    def start(self, base: str) -> tuple[PageRequest, ...]:
        """The first page; filters of the server are not used, they mean other things in other releases."""
        return (PageRequest(url=f"{base.rstrip('/')}/agents?limit={_LIMIT}&offset=0"),)

    def read(self, page: Page) -> Listing:
        """The records of one page and the next page, unless this one is empty or the last."""
        document = page_document(page)
        if isinstance(document, str):
            return Listing(problem=document)
        root = document.value
        records = root.get("agents") if isinstance(root, dict) else None
        if not isinstance(records, list):
            return Listing(problem="not-a-listing")
        found = [_record(record, index) for index, record in enumerate(records)]
        return Listing(
            candidates=tuple(one for one in found if isinstance(one, Candidate)),
            refused=tuple(one for one in found if isinstance(one, EntryRefused)),
            more=_next(root, page.request.url, len(records)),
            total=whole(root.get("total")),
        )


def _record(record: Any, index: int) -> Candidate | EntryRefused:  # noqa: ANN401 — any JSON value
    identifier = text(record.get("id")) if isinstance(record, dict) else None
    if identifier is None:
        return EntryRefused(registry_id=f"#{index}", reason="no-identifier")
    if record.get("hidden") is True:
        return EntryRefused(registry_id=identifier, reason="hidden")
    url = record.get("wellKnownURI")
    if not is_web_url(url):
        return EntryRefused(
            registry_id=identifier, reason="url-not-absolute", detail="" if url is None else str(url)[:200]
        )
    healthy = record.get("is_healthy")
    tags = [
        tag
        for skill in items(record.get("skills"))
        if isinstance(skill, dict)
        for tag in texts(skill.get("tags")) or ()
    ]
    return Candidate(
        registry_id=identifier,
        card_url=record["wellKnownURI"],
        name=text(record.get("name")),
        owner=text(record.get("author")),
        status=("healthy" if healthy else "unhealthy") if isinstance(healthy, bool) else None,
        tags=tuple(dict.fromkeys(tags)),
        registry_version=text(record.get("version")),
        updated_at=text(record.get("updated_at")),
    )


def _next(root: dict[str, Any], url: str, count: int) -> tuple[PageRequest, ...]:
    """The page after this one; the server may have cut the limit, so the next offset follows what really came."""
    offset = dict(parse_qsl(urlsplit(url).query)).get("offset", "0")
    reached, total = int(offset) + count, root.get("total")
    if not count or (isinstance(total, int) and reached >= total):
        return ()
    base = url.partition("?")[0]
    return (PageRequest(url=f"{base}?limit={_LIMIT}&offset={reached}", follows=True),)
