"""What a registry offers: candidates, and the pages they come on. A registry's word is a claim by one more untrusted party."""

from typing import Any, Protocol

from pydantic import field_validator

from cardtrail.events.model.value import Value
from cardtrail.services.places import without_login


class Candidate(Value):
    """One agent as a registry lists it; exactly one of `card_url` and `card_document` (the JSON text) says where its card is.

    `registry_id` is stable inside the registry. None is "not stated", which is not the same as empty.
    """

    registry_id: str
    card_url: str | None = None
    card_document: str | None = None
    name: str | None = None
    owner: str | None = None
    status: str | None = None
    tenant: str | None = None
    tags: tuple[str, ...] | None = None
    registry_version: str | None = None
    updated_at: str | None = None
    digest: str | None = None

    def document(self) -> bytes:
        """The card that an entry holds; nothing where it names a place. Facts name it by its `raw_digest`."""
        return (self.card_document or "").encode("utf-8", "surrogatepass")

    def metadata(self) -> dict[str, str]:
        """What is stated, as texts, for the fact that an agent is tracked."""
        stated = self.model_dump(exclude={"card_url", "card_document", "tags"}, exclude_none=True)
        return stated | ({"tags": ", ".join(self.tags)} if self.tags is not None else {})


class PageRequest(Value):
    """A page to fetch with GET.

    `optional`: it may be absent without harm to the walk; `follows`: it is the next page of a list; `single`: it is one entry
    and no list; `trail` holds the catalogs above it.
    """

    url: str
    optional: bool = False
    follows: bool = False
    single: bool = False
    trail: tuple[str, ...] = ()


class Page(Value):
    """An answer to a request; status 0 stands for a file."""

    request: PageRequest
    status: int = 200
    data: bytes = b""


class EntryRefused(Value):
    """An entry that is no candidate: which one, kebab-case reason, detail for a person; what logs somebody in is left out."""

    registry_id: str
    reason: str
    detail: str = ""

    @field_validator("registry_id", "detail")
    @classmethod
    def _without_login(cls, told: str) -> str:
        return without_login(told)


class Listing(Value):
    """What one page says: candidates, entries refused, pages to fetch next, and `problem` where the page itself is no good.

    `total`: how many entries the whole list has, where the page states it.
    """

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[EntryRefused, ...] = ()
    more: tuple[PageRequest, ...] = ()
    total: int | None = None
    problem: str = ""


class Source(Protocol):
    """One kind of registry, pure: which pages to ask for, and what a page says."""

    name: str

    def start(self, base: str) -> tuple[PageRequest, ...]:
        """The first pages, given the place that the operator configured."""

    def read(self, page: Page) -> Listing:
        """What a page says; never raises for what it holds."""


def text(value: Any, limit: int = 2048) -> str | None:  # noqa: ANN401 — any JSON value
    """A text that says something, cut to `limit` characters; None for anything else."""
    return value[:limit] if isinstance(value, str) and value.strip() else None


def texts(value: Any) -> tuple[str, ...] | None:  # noqa: ANN401 — any JSON value
    """The texts of a list, 64 at most; None where there is no list."""
    return tuple(item[:256] for item in value[:64] if isinstance(item, str)) if isinstance(value, list) else None


def whole(value: Any) -> int | None:  # noqa: ANN401 — any JSON value
    """A number of things; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def items(value: Any) -> list[Any]:  # noqa: ANN401 — any JSON value
    """A list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []
