"""A registry that answers from a table of pages and counts what was asked: recorded answers, invented in the real shapes."""

import asyncio
import json
from typing import Any

from cardtrail.services.fetcher.candidate import Page, PageRequest, Source
from cardtrail.services.fetcher.registry_walk import Walk, walk

HTML = b"<!doctype html><html><body>Sign in</body></html>"


class Registry:
    """Pages by URL: a JSON value, bytes, a status, or (status, value); everything else is 404."""

    def __init__(self, pages: dict[str, Any]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    async def fetch(self, request: PageRequest) -> Page | str:
        self.asked.append(request.url)
        answer = self.pages.get(request.url, 404)
        if isinstance(answer, str):
            return answer
        status, value = (
            answer if isinstance(answer, tuple) else (answer, {}) if isinstance(answer, int) else (200, answer)
        )
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        return Page(request=request, status=status, data=data)

    def walk(self, source: Source, base: str, **limits: int) -> Walk:
        return asyncio.run(walk(source, base, self.fetch, **limits))


def ids(found: Walk) -> list[str]:
    return [candidate.registry_id for candidate in found.candidates]


def reasons(found: Walk) -> dict[str, str]:
    return {refused.registry_id: refused.reason for refused in found.refused}
