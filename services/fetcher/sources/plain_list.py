"""The operator's own list of agents: a JSON array, or `{"entries": […]}`, of card URLs and of objects with `url` or `card`.

Each item is read as an entry of an AI Catalog. Any item that fails spoils the list: a typo must not go unseen.
"""

from typing import Any

from cardtrail.services.fetcher.candidate import EntryRefused, Listing, Page, PageRequest, text
from cardtrail.services.fetcher.page import page_document
from cardtrail.services.fetcher.sources.ai_catalog import read_catalog

_CARD = "application/a2a-agent-card+json"
STATES = {"approved", "pending", "deprecated", "blocked"}


class PlainList:
    """A file path or the URL of a list."""

    name = "plain-list"

    def start(self, base: str) -> tuple[PageRequest, ...]:
        """The list itself; it has one page."""
        return (PageRequest(url=base),)

    def read(self, page: Page) -> Listing:
        """Candidates of the approved items; the others are refused as `not-approved`, and stay listed."""
        document = page_document(page)
        if isinstance(document, str):
            return Listing(problem=document)
        value = document.value
        listed = value.get("entries") if isinstance(value, dict) else value
        if not isinstance(listed, list):
            return Listing(problem="not-a-list")
        entries = [_entry(item) for item in listed]
        broken = tuple(_broken(listed, entries))
        good = [entry for entry in entries if entry is not None and entry.get("status") in {None, "approved"}]
        read = read_catalog({"entries": good}, page.request)
        waiting = tuple(
            EntryRefused(registry_id=_named(entry, index), reason="not-approved", detail=entry["status"])
            for index, entry in enumerate(entries)
            if entry is not None and entry.get("status") in STATES - {"approved"}
        )
        spoiled = broken or read.refused
        problem = f"broken-item: {spoiled[0].registry_id} {spoiled[0].reason}" if spoiled else ""
        return Listing(candidates=read.candidates, refused=(*waiting, *broken, *read.refused), problem=problem)


def _entry(item: Any) -> dict[str, Any] | None:  # noqa: ANN401 — any JSON value
    """An item as an entry of an AI Catalog; None for what is neither a text nor an object."""
    if isinstance(item, str):
        return {"identifier": item, "type": _CARD, "url": item}
    if not isinstance(item, dict):
        return None
    named = {name: item.get(name) for name in ("url", "tags", "tenant", "digest")}
    named |= {"identifier": item.get("id") or item.get("url"), "data": item.get("card"), "publisher": item.get("owner")}
    status = item.get("status")
    return {**named, "type": _CARD, "status": None if status is None else str(status)}


def _named(entry: dict[str, Any], index: int) -> str:
    """The item for a person: by its own identifier, else by its place."""
    return text(entry["identifier"]) or f"#{index}"


def _broken(listed: list[Any], entries: list[dict[str, Any] | None]) -> list[EntryRefused]:
    seen: set[tuple[str, str]] = set()
    found = []
    for index, entry in enumerate(entries):
        key = (_named(entry, index), str(entry.get("tenant"))) if entry is not None else (f"#{index}", "")
        if entry is None:
            found.append(EntryRefused(registry_id=key[0], reason="not-an-item", detail=str(listed[index])[:80]))
        elif key in seen:
            found.append(EntryRefused(registry_id=key[0], reason="repeated-item", detail=f"item {index}"))
        elif entry.get("status") not in {None, *STATES}:
            found.append(EntryRefused(registry_id=key[0], reason="status-unknown", detail=entry["status"][:80]))
        seen.add(key)
    return found
