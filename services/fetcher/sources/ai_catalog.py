"""AI Catalog documents in their three shapes, nested ones included, and the list call of the ARD search APIs they name.

Shapes differ by keys, not by `specVersion`: `mediaType` or `type`, `trustManifest` or `trustManifests`. The rest is ignored.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from cardtrail.events.fact import dump
from cardtrail.services.fetcher.candidate import Candidate, EntryRefused, Listing, Page, PageRequest, text, texts
from cardtrail.services.fetcher.page import is_web_url, page_document

MAX_DEPTH = 4
CARD_TYPES = {"application/a2a-agent-card+json", "application/agent-card+json"}
CATALOG_TYPES = {"application/ai-catalog+json"}
SEARCH_TYPES = {"application/ai-registry+json", "application/ai-registry"}
PATHS = ("/.well-known/ai-catalog.json", "/.well-known/ard.json")

Found = Candidate | EntryRefused | PageRequest


class AiCatalog:
    """A host, where both well-known paths are tried, or the full URL of a catalog."""

    name = "ai-catalog"

    def start(self, base: str) -> tuple[PageRequest, ...]:
        """The catalog itself, or both places where a host may have one."""
        base = base if "://" in base else f"https://{base}"
        if urlsplit(base).path.strip("/"):
            return (PageRequest(url=base),)
        return tuple(PageRequest(url=base.rstrip("/") + path, optional=True) for path in PATHS)

    def read(self, page: Page) -> Listing:
        """The entries of a catalog, or one page of an ARD list."""
        document = page_document(page)
        if isinstance(document, str):
            return Listing(problem=document)
        return read_catalog(document.value, page.request)


def read_catalog(root: Any, request: PageRequest) -> Listing:  # noqa: ANN401 — any JSON value
    """What a catalog document says, whoever wrote it."""
    problem = _problem(root)
    if problem:
        return Listing(problem=problem)
    found = list(_entries(root, (*request.trail, request.url)))
    return Listing(
        candidates=tuple(one for one in found if isinstance(one, Candidate)),
        refused=tuple(one for one in found if isinstance(one, EntryRefused)),
        more=(*(one for one in found if isinstance(one, PageRequest)), *(_next(root, request) if found else ())),
    )


def _list(root: dict[str, Any]) -> Any:  # noqa: ANN401 — any JSON value
    return next((root[name] for name in ("entries", "items", "results") if name in root), None)


def _problem(root: Any) -> str:  # noqa: ANN401 — any JSON value
    if not isinstance(root, dict) or not isinstance(_list(root), list):
        return "not-a-catalog"
    version = root.get("specVersion", "1.0")
    return "" if isinstance(version, str) and version.partition(".")[0] == "1" else "spec-version-unknown"


def _entries(root: dict[str, Any], trail: tuple[str, ...]) -> Iterator[Found]:
    for index, entry in enumerate(_list(root)):
        identifier = text(entry.get("identifier")) if isinstance(entry, dict) else None
        if identifier is None:
            yield EntryRefused(registry_id=f"#{index}", reason="no-identifier")
        else:
            yield from _entry(entry, identifier, trail)


def _entry(entry: dict[str, Any], identifier: str, trail: tuple[str, ...]) -> Iterator[Found]:
    kind = str(entry.get("type") or entry.get("mediaType") or "").partition(";")[0].strip().lower()
    if kind not in CARD_TYPES | CATALOG_TYPES | SEARCH_TYPES:
        return
    url, data = entry.get("url"), entry.get("data")
    if (url is None) == (data is None):
        yield EntryRefused(registry_id=identifier, reason="url-or-data", detail="exactly one of url and data is wanted")
    elif url is not None and not is_web_url(url):
        yield EntryRefused(registry_id=identifier, reason="url-not-absolute", detail=str(url)[:200])
    elif data is not None and not isinstance(data, dict):
        yield EntryRefused(registry_id=identifier, reason="data-not-an-object")
    elif kind in CARD_TYPES:
        yield _candidate(entry, identifier)
    elif kind in SEARCH_TYPES:
        yield from _search(url, trail)
    else:
        yield from _nested(identifier, url, data, trail)


def _nested(identifier: str, url: Any, data: Any, trail: tuple[str, ...]) -> Iterator[Found]:  # noqa: ANN401 — JSON
    if len(trail) > MAX_DEPTH:
        yield EntryRefused(registry_id=identifier, reason="nested-too-deep")
    elif url in trail:
        yield EntryRefused(registry_id=identifier, reason="nested-in-itself", detail=url)
    elif url is not None:
        yield PageRequest(url=url, trail=trail)
    elif problem := _problem(data):
        yield EntryRefused(registry_id=identifier, reason=problem)
    else:
        yield from _entries(data, (*trail, f"#{identifier}"))


def _search(url: Any, trail: tuple[str, ...]) -> Iterator[Found]:  # noqa: ANN401 — JSON
    """The list call of a search API: some name the base, some the search call itself; the list is optional for both."""
    if url is not None and len(trail) <= MAX_DEPTH:
        base = url.rstrip("/").removesuffix("/search")
        yield PageRequest(url=f"{base}/agents?pageSize=100", optional=True, trail=trail)


def _next(root: dict[str, Any], request: PageRequest) -> tuple[PageRequest, ...]:
    token = text(root.get("pageToken")) or text(root.get("nextPageToken"))
    if token is None:
        return ()
    parts = urlsplit(request.url)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name != "pageToken"]
    url = parts._replace(query=urlencode([*query, ("pageToken", token)])).geturl()
    return (PageRequest(url=url, trail=request.trail, follows=True),)


def _candidate(entry: dict[str, Any], identifier: str) -> Candidate:
    data = entry.get("data")
    tags, skills = texts(entry.get("tags")), texts(entry.get("capabilities"))
    return Candidate(
        registry_id=identifier,
        card_url=entry.get("url"),
        card_document=None if data is None else dump(data).decode(),
        name=text(entry.get("displayName")),
        owner=_owner(entry.get("publisher"), identifier),
        tags=None if tags is None and skills is None else tuple(dict.fromkeys((*(tags or ()), *(skills or ())))),
        registry_version=text(entry.get("version")),
        updated_at=text(entry.get("updatedAt")),
        digest=_digest(entry),
        status=text(entry.get("status")),
        tenant=text(entry.get("tenant")),
    )


def _owner(publisher: Any, identifier: str) -> str | None:  # noqa: ANN401 — JSON
    if isinstance(publisher, dict):
        return text(publisher.get("identifier")) or text(publisher.get("displayName"))
    words = identifier.split(":")
    return words[2] if len(words) > 3 and words[:2] == ["urn", "air"] else text(publisher)  # noqa: PLR2004 — urn:air:domain:name


def _digest(entry: dict[str, Any]) -> str | None:
    manifest = entry.get("trustManifest")
    subject = manifest.get("subject") if isinstance(manifest, dict) else None
    return text(entry.get("digest")) or (text(subject.get("digest")) if isinstance(subject, dict) else None)
