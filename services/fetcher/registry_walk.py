"""A walk over a registry, page by page: bounded, without repeats, and complete only when every page has answered."""

import re
from collections import deque
from collections.abc import Awaitable, Callable

from cardtrail.events.model.value import Value
from cardtrail.services.card.document import LIMITS
from cardtrail.services.fetcher.candidate import Candidate, EntryRefused, Listing, Page, PageRequest, Source

Fetch = Callable[[PageRequest], Awaitable[Page | str]]
"""Gives the answer of whatever status, or the reason why there is none in kebab-case."""

_MOST_BYTES = 256 << 20
"""All cards that one walk holds: that is what the process must have room for."""
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,3}")


class Walk(Value):
    """What a registry offered. Only where `complete` may an absence from `listed` be read as a removal; `problem` says why not.

    `listed` holds the ids of everything that stands in the registry, refused entries included.
    """

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[EntryRefused, ...] = ()
    listed: tuple[str, ...] = ()
    complete: bool = True
    problem: str = ""


async def walk(source: Source, base: str, fetch: Fetch, *, max_pages: int = 500, max_candidates: int = 10_000) -> Walk:
    """Follow a source to its end; of several versions of one agent the highest is kept, else the latest."""
    walker = _Walker(max_pages, max_candidates)
    queue = deque(source.start(base))
    while queue and not walker.is_full:
        request = queue.popleft()
        if walker.is_spent(request):
            walker.fail("too-many-entries" if request.single else "too-many-pages")
            break
        if request.url in walker.seen:
            walker.repeated(request)
            continue
        walker.ask(request)
        answer = await fetch(request)
        listing = Listing(problem=answer) if isinstance(answer, str) else source.read(answer)
        walker.take(request, listing)
        queue += listing.more
    return walker.result()


class _Walker:
    def __init__(self, max_pages: int, max_candidates: int) -> None:
        self.seen: set[str] = set()
        self._most_pages, self._most, self._singles, self._bytes = max_pages, max_candidates, 0, 0
        self._totals: list[int] = []
        self._met: set[tuple[str, str | None, str | None]] = set()
        self._kept: dict[tuple[str, str | None], Candidate] = {}
        self._refused: dict[tuple[str, str], EntryRefused] = {}
        self._answered = False
        self._absent = ""
        self._problem = ""

    @property
    def is_full(self) -> bool:
        return self._bytes > _MOST_BYTES or max(len(self._kept), len(self._refused)) > self._most

    def is_spent(self, request: PageRequest) -> bool:
        """Whether the walk has had all the pages, or all the single entries, that it may ask for."""
        used, most = (
            (self._singles, self._most) if request.single else (len(self.seen) - self._singles, self._most_pages)
        )
        return used >= most

    def ask(self, request: PageRequest) -> None:
        """A page is asked for."""
        self.seen.add(request.url)
        self._singles += request.single

    def fail(self, problem: str) -> None:
        self._problem = self._problem or problem

    def repeated(self, request: PageRequest) -> None:
        """A page asked for twice: two entries may name one catalog, but a cursor that comes again leads nowhere."""
        if request.follows:
            self.fail("cursor-repeated")

    def take(self, request: PageRequest, listing: Listing) -> None:
        if listing.problem in {"not-found", "a-page-not-json"} and request.optional:
            self._absent = listing.problem if self._absent in {"", "not-found"} else self._absent
        elif listing.problem:
            self.fail(listing.problem)
        else:
            self._answered = True
        self._totals += [] if listing.total is None else [listing.total]
        self._met |= {(one.registry_id, one.tenant, one.registry_version) for one in listing.candidates}
        self._met |= {(one.registry_id, None, None) for one in listing.refused}
        for candidate in listing.candidates:
            self._keep(candidate)
        for refused in listing.refused:
            self._refuse(refused)

    def _keep(self, candidate: Candidate) -> None:
        size = len(candidate.document())
        if size > LIMITS.size:
            self._refuse(EntryRefused(registry_id=candidate.registry_id, reason="document-too-large"))
            return
        self._bytes += size
        key = (candidate.registry_id, candidate.tenant)
        held = self._kept.get(key)
        self._kept[key] = candidate if held is None or _rank(candidate) > _rank(held) else held

    def _refuse(self, refused: EntryRefused) -> None:
        self._refused.setdefault((refused.registry_id, refused.reason), refused)

    def result(self) -> Walk:
        if not self._answered:
            self.fail(self._absent or "no-answer")
        if self.is_full:
            self.fail("too-large" if self._bytes > _MOST_BYTES else "too-many-entries")
        if self._totals and not min(self._totals) <= len(self._met) <= max(self._totals):
            self.fail("total-differs")  # a page came twice, or is missing: what was not met may still stand there
        candidates, refused = tuple(self._kept.values())[: self._most], tuple(self._refused.values())[: self._most]
        ids = [*(one.registry_id for one in candidates), *(one.registry_id for one in refused)]
        return Walk(
            candidates=candidates,
            refused=refused,
            listed=tuple(dict.fromkeys(ids)),
            complete=not self._problem,
            problem=self._problem,
        )


def _rank(candidate: Candidate) -> tuple[tuple[int, ...], str]:
    numbers = _NUMBERS.match(candidate.registry_version or "")
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else (), candidate.updated_at or ""
