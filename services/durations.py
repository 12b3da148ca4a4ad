"""Durations as people write them in settings: seconds, or a text such as `30s`, `5m`, `24h`, `7d`."""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BeforeValidator, Field

NO_LOG_FROM = datetime(2262, 1, 1, tzinfo=UTC)
"""A log counts nanoseconds in 63 bits: no instant from here on can be asked for."""
LONGEST_S = 10 * 365 * 86_400
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def seconds(value: object) -> object:
    """`5m` → 300; a number stays as it is, a boolean is none.

    Raises:
        ValueError: the value is no duration.
    """
    if isinstance(value, bool):
        raise ValueError(_duration_hint(""))  # noqa: TRY004 — pydantic tells a ValueError with its place
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"([0-9]+)\s*([smhd])", value)
    if match is None:
        raise ValueError(_duration_hint(value))
    return int(match[1]) * _UNITS[match[2]]


def _duration_hint(value: str) -> str:
    loose = re.match(r"\s*([0-9]+)\s*([smhd])", value.lower())
    example = f"{loose[1]}{loose[2]}" if loose else "5m"
    return f'no duration. hint: write "{example}"'


Seconds = Annotated[int, BeforeValidator(seconds), Field(ge=0, le=LONGEST_S)]
