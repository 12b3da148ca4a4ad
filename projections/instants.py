"""Instants as stores and folds reckon with them: microseconds since 1970 in UTC, and ends as people have spelled them."""

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(at: datetime) -> int:
    """Microseconds since 1970-01-01T00:00Z of an aware instant: sums and comparisons of strings are not exact."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def end_of(until: str | None) -> datetime | None:
    """An end in UTC, None without one; a date without a zone is UTC, and what is no date lies before everything."""
    if until is None:
        return None
    try:
        end = datetime.fromisoformat(until)
        return end.astimezone(UTC) if end.tzinfo else end.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return datetime.min.replace(tzinfo=UTC)
