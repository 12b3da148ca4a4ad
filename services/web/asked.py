"""What a request asks for: principal, instant, filters, range; and links that keep them. Pure.

Every view is a URL: what is seen can be sent to somebody else and says the same there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, urlencode

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import PUBLIC
from cardtrail.services.durations import NO_LOG_FROM, seconds

_CARRIED = ("principal", "at")
_FILTERS = ("verdict", "heard", "owner", "workflow", "provider", "rule", "tag", "q", "sort", "page")
_TIMES = ("range", "from", "until", "left", "right", "as")
_FORMS = ("fingerprint", "reason", "by", "seen")
NAMES = frozenset((*_CARRIED, *_FILTERS, *_TIMES, *_FORMS))
"""Everything a query may say; the rest is ignored and never echoed."""

_LONGEST = 2_000
_FIELDS = 100
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
"""No broker stores anything outside (it counts nanoseconds in 64 bits), and whatever is reckoned from within is a time, too."""
_DIGITS = 20
"""As many as the largest sequence of a log has."""
_LONGEST_RANGE = timedelta(days=36_500)


@dataclass(frozen=True)
class Asked:
    """One request: its path without any suffix, and the pairs of its query that mean something."""

    path: str
    pairs: tuple[tuple[str, str], ...] = ()
    at: datetime | None = None

    @property
    def principal(self) -> str:
        """As whom agents are seen; exactly one."""
        return self.one("principal") or PUBLIC

    def one(self, name: str) -> str:
        """The last value given under a name, "" where there is none."""
        return next((value for held, value in reversed(self.pairs) if held == name), "")

    def many(self, name: str) -> frozenset[str]:
        """All values given under a name."""
        return frozenset(value for held, value in self.pairs if held == name)

    def here(self, **changes: str | None) -> str:
        """This view again with some values set, or with None taken away."""
        kept = [pair for pair in self.pairs if pair[0] not in changes]
        return _url(self.path, [*kept, *((name, value) for name, value in changes.items() if value is not None)])

    def toggled(self, name: str, value: str) -> str:
        """This view with one filter value put on or taken off; back on the first page."""
        pairs = [pair for pair in self.pairs if pair != (name, value) and pair[0] != "page"]
        return _url(self.path, pairs if value in self.many(name) else [*pairs, (name, value)])

    def to(self, path: str, **extra: str) -> str:
        """Another view of the same principal at the same instant."""
        told = {name: self.one(name) for name in _CARRIED} | extra
        return _url(path, [pair for pair in told.items() if pair[1] and pair != ("principal", PUBLIC)])

    def form(self, suffix: str) -> str:
        """The same view in another form, as `.json`."""
        return _url((self.path if self.path != "/" else "/fleet") + suffix, self.pairs)


def asked(path: str, query: str) -> Asked:
    """Read a request.

    Raises:
        UsageError: `query-invalid`: too many or too long values, or a time, range or number that can mean nothing, wherever.
    """
    try:
        given = parse_qsl(query, max_num_fields=_FIELDS, errors="replace")
    except ValueError as error:
        raise UsageError("query-invalid", "too many values") from error
    if any(len(value) > _LONGEST for _, value in given):
        raise UsageError("query-invalid", f"a value is longer than {_LONGEST} characters")
    pairs = tuple((name, value.strip()) for name, value in given if name in NAMES and value.strip())
    for name, value in pairs:
        if name in _MEANT:
            _MEANT[name](value)
    found = Asked(path, pairs)
    return Asked(path, pairs, moment(found.one("at")) if found.one("at") else None)


def moment(text: str) -> datetime:
    """An instant as people write it into an address: a date, or date and time; UTC where no offset stands.

    Raises:
        UsageError: `query-invalid`, also where no log can have anything.
    """
    hint = "write 2026-11-29 or 2026-11-29T08:00:00Z"
    try:
        found = datetime.fromisoformat(text)
        found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError("query-invalid", f'"{text[:40]}" is no time', hint=hint) from error
    if not _FIRST <= found < NO_LOG_FROM:
        raise UsageError("query-invalid", f'"{text[:40]}" is before 1970 or after 2261, where no log is', hint=hint)
    return found


def stretch(text: str) -> timedelta:
    """A range as `7d`.

    Raises:
        UsageError: `query-invalid`.
    """
    try:
        found = timedelta(seconds=int(str(seconds(text))))
    except (ValueError, OverflowError):
        found = timedelta.max
    if found > _LONGEST_RANGE:
        raise UsageError("query-invalid", f'"{text[:40]}" is no range up to 100 years', hint="write 24h or 7d")
    return found


def number(text: str) -> int:
    """A number that counts from 1, as of a page or a fact.

    Raises:
        UsageError: `query-invalid`.
    """
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS and int(text):
        return int(text)
    raise UsageError("query-invalid", f'"{text[:40]}" is no number from 1 on')


_MEANT: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("at", "from", "until", "left", "right"), moment),
    "range": stretch,
    "page": number,
}


def _url(path: str, pairs: Iterable[tuple[str, str]]) -> str:
    query = urlencode(list(pairs), quote_via=quote, safe=":,-")
    return f"{path}?{query}" if query else path
