"""Time as HTTP headers spell it: seconds, dates, and how long a server asks us to stay away. Pure."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LONGEST_S = 2**31 - 1


def retry_after_s(headers: Mapping[str, str], now: datetime) -> int | None:
    """Seconds the server asks us to stay away (RFC 9110 §10.2.3); None where it does not say."""
    value = headers.get("retry-after", "")
    waits = seconds(value)
    if waits is not None:
        return waits
    until = instant(value)
    return max(int((until - now).total_seconds()), 0) if until else None


def instant(value: str) -> datetime | None:
    """An HTTP date (RFC 9110 §5.6.7), None where it is none."""
    try:
        parsed = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed if parsed.tzinfo else None


def seconds(text: str) -> int | None:
    """A count of seconds (RFC 9111 §1.2.2), at most 2^31 - 1; None where it is none."""
    digits = text.strip()
    return min(int(digits[:12]), LONGEST_S) if digits.isascii() and digits.isdigit() else None
