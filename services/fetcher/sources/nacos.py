"""Nacos 3: a paged list of names, then one call for each card, which the server has written anew from its own model.

For an agent of type SERVICE the server picks `url`, `preferredTransport` and `protocolVersion` from a random live instance;
such a card is settled here, or two reads would differ without a change.
"""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from cardtrail.events.fact import dump
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
from cardtrail.services.fetcher.page import page_document

_SIZE = 100
_CARD, _LIST = "/v3/admin/ai/a2a", "/v3/admin/ai/a2a/list"
_OURS = ("registrationType", "latestVersion", "latestPublishedVersion", "versionDetails")
_PICKED = ("url", "preferredTransport", "protocolVersion", "additionalInterfaces")


class Nacos:
    """The server's base URL with its context path; `?namespaceId=` chooses a namespace other than `public`."""

    name = "nacos"

    def start(self, base: str) -> tuple[PageRequest, ...]:
        """The first page of names."""
        root, _, query = base.partition("?")
        namespace = dict(parse_qsl(query)).get("namespaceId", "public")
        return (_page(root.rstrip("/") + _LIST, namespace, 1, follows=False),)

    def read(self, page: Page) -> Listing:
        """Names with a request for each card, or one card. A card that the server cannot give is refused, not gone."""
        is_list = urlsplit(page.request.url).path.endswith(_LIST)
        document = page_document(page)
        data = _data(document.value) if not isinstance(document, str) else document
        asked = dict(parse_qsl(urlsplit(page.request.url).query))
        if is_list:
            return Listing(problem=data) if isinstance(data, str) else _names(data, page.request.url, asked)
        name = asked.get("agentName", "")
        if isinstance(data, str):
            outage = data in {"unauthorized", "forbidden", "throttled", "unavailable"}
            return Listing(refused=(EntryRefused(registry_id=name, reason=data),), problem=data if outage else "")
        return Listing(candidates=(_candidate(data, name, asked.get("namespaceId")),))


def _data(value: Any) -> dict[str, Any] | str:  # noqa: ANN401 — any JSON value
    """The `data` of an answer; a code other than 0 is an error whatever the HTTP status was."""
    if not isinstance(value, dict) or value.get("code") != 0:
        return "code-not-0"
    data = value.get("data")
    return data if isinstance(data, dict) else "not-a-listing"


def _names(data: dict[str, Any], url: str, asked: dict[str, str]) -> Listing:
    entries, last = data.get("pageItems") or [], whole(data.get("pagesAvailable"))
    if not isinstance(entries, list) or last is None:
        return Listing(problem="not-a-listing")
    names = [text(entry.get("name")) if isinstance(entry, dict) else None for entry in entries]
    root, namespace = url.partition(_LIST)[0], asked.get("namespaceId", "public")
    cards = tuple(
        PageRequest(url=f"{root}{_CARD}?{urlencode({'namespaceId': namespace, 'agentName': name})}", single=True)
        for name in names
        if name
    )
    refused = tuple(
        EntryRefused(registry_id=f"#{index}", reason="no-identifier") for index, name in enumerate(names) if not name
    )
    number = int(asked.get("pageNo", "1"))
    following = (
        (_page(url.partition("?")[0], namespace, number + 1, follows=True),) if entries and number < last else ()
    )
    return Listing(refused=refused, more=(*cards, *following), total=whole(data.get("totalCount")))


def _page(url: str, namespace: str, number: int, *, follows: bool) -> PageRequest:
    query = {"namespaceId": namespace, "search": "blur", "agentName": "", "pageNo": number, "pageSize": _SIZE}
    return PageRequest(url=f"{url}?{urlencode(query)}", follows=follows)


def _candidate(data: dict[str, Any], name: str, namespace: str | None) -> Candidate:
    card = {member: value for member, value in data.items() if member not in _OURS}
    settled = _settled(card) if data.get("registrationType") == "SERVICE" else card
    tags = [
        tag for skill in items(data.get("skills")) if isinstance(skill, dict) for tag in texts(skill.get("tags")) or ()
    ]
    return Candidate(
        registry_id=name,
        card_document=dump(settled).decode(),
        name=text(data.get("name")),
        tenant=namespace,
        tags=tuple(dict.fromkeys(tags)),
        registry_version=text(data.get("latestVersion")) or text(data.get("version")),
    )


def _settled(card: dict[str, Any]) -> dict[str, Any]:
    """The card without what was picked at random, its interfaces in an order of their own."""
    interfaces = items(card.get("supportedInterfaces"))
    if not interfaces:
        return card
    kept = {member: value for member, value in card.items() if member not in _PICKED}
    return kept | {"supportedInterfaces": sorted(interfaces, key=lambda entry: json.dumps(entry, sort_keys=True))}
