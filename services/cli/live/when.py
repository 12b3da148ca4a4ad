"""Instants as people write and read them: `3d`, a date, RFC 3339 in; ages and UTC out."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from cardtrail.events.fact import instant
from cardtrail.services.durations import NO_LOG_FROM, seconds

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


class When(click.ParamType[datetime, object]):
    """A time of day or a duration from now: back (`--since 3d`) or, with `ahead`, forward (`--until 30d`)."""

    name = "when"

    def __init__(self, *, ahead: bool = False) -> None:
        """`ahead`: durations count forward and an instant must not have passed."""
        self._ahead = ahead

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What the help shows."""
        del param, ctx
        return "WHEN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:  # noqa: ANN401 — click's value
        """Read it; UTC where no offset is given."""
        if isinstance(value, datetime):
            return value
        try:
            found = _placed(instant_or_length(str(value).strip()), datetime.now(UTC), ahead=self._ahead)
        except (ValueError, OverflowError):
            self.fail(f'"{value}" is no time; write 3d, 2026-11-29 or 2026-11-29T08:00:00Z', param, ctx)
        if not self._ahead and found >= NO_LOG_FROM:
            self.fail(f'"{value}" is after 2261, where no log is', param, ctx)
        if self._ahead and found <= datetime.now(UTC):
            self.fail(f'"{value}" has passed', param, ctx)
        return found


class Span(click.ParamType[int, object]):
    """A length of time as `5m`, `24h` or `7d`, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 — click's value
        """Read it."""
        try:
            return int(str(seconds(value)))
        except ValueError as error:
            message, _, hint = str(error).partition(" hint: ")
            self.fail(f'"{value}": {message} {hint}', param, ctx)


def instant_or_length(text: str) -> datetime | timedelta:
    """An instant, UTC where no offset is given, or a length of time.

    Raises:
        ValueError: it is neither. OverflowError: it is beyond all that can be told.
    """
    if text[:4].isdigit() and "-" in text:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    return timedelta(seconds=int(str(seconds(text))))


def _placed(told: datetime | timedelta, now: datetime, *, ahead: bool) -> datetime:
    if isinstance(told, datetime):
        return told
    return now.replace(microsecond=0) + told if ahead else now - told  # an end is written down and read by people


def age(since: str | datetime | None, now: datetime, *, terminal: bool = True) -> str:
    """`40 s`, `3 m`, `6 h`, `41 d`; the instant to the second where no person reads; `-` where there is none."""
    if since is None:
        return "-"
    at = datetime.fromisoformat(since) if isinstance(since, str) else since
    return span(max((now - at).total_seconds(), 0.0)) if terminal else brief(at)


def span(length_s: float) -> str:
    """A length of time in its largest unit."""
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if length_s >= size:
            return f"{int(length_s // size)} {unit}"
    return f"{int(length_s)} s"


def long_span(length_s: float) -> str:
    """A length of time in its two largest units: `27 m 31 s`."""
    whole = int(length_s)
    for size, below in ((_DAY, _HOUR), (_HOUR, _MINUTE), (_MINUTE, 1)):
        if whole >= size:
            rest = whole % size // below * below
            return f"{span(whole)} {span(rest)}" if rest else span(whole)
    return span(whole)


def clock(at: datetime, now: datetime, *, terminal: bool = True) -> str:
    """`11-28 21:58:00` in UTC, with the year where it is another one; `brief` where no person reads."""
    if not terminal:
        return brief(at)
    same = at.astimezone(UTC).year == now.astimezone(UTC).year
    return at.astimezone(UTC).strftime("%m-%d %H:%M:%S" if same else "%Y-%m-%d %H:%M:%S")


def as_known(at: str, through: int) -> str:
    """`as known at 2026-11-28T21:58:00Z, fact 4711`: what a view of then says first."""
    return f"as known at {exact(at)}, {f'fact {through}' if through else 'before the first fact'}"


def brief(at: datetime) -> str:
    """`2026-11-28T21:58:00Z`: RFC 3339 to the second, for text; the JSON has all of it."""
    return exact(at.replace(microsecond=0))


def exact(at: str | datetime) -> str:
    """An instant that must not be cut, such as one asked for: without a fraction where that is nothing."""
    told = at if isinstance(at, str) else instant(at)
    return told.replace(".000Z", "Z")
