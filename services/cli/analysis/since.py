"""A beginning by the log's own clock: an instant, or a length of time before the log's last fact."""

from datetime import datetime, timedelta
from typing import Any

import click

from cardtrail.services.cli.live.when import instant_or_length

Beginning = datetime | timedelta


class Since(click.ParamType[Beginning, object]):
    """`90d` before the last fact, `2026-10-01`, `2026-10-01T08:00:00Z`: the same log gives the same answer on any day."""

    name = "since"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What the help shows."""
        del param, ctx
        return "WHEN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Beginning:  # noqa: ANN401 — click's value
        """Read it; UTC where no offset is given."""
        if isinstance(value, datetime | timedelta):
            return value
        try:
            return instant_or_length(str(value).strip())
        except (ValueError, OverflowError):
            self.fail(f'"{value}" is no time; write 90d, 2026-10-01 or 2026-10-01T08:00:00Z', param, ctx)


def since(beginning: Beginning | None, ended: datetime | None) -> datetime | None:
    """The instant that is meant, by the time of the log's last fact; None where all of it is."""
    if isinstance(beginning, timedelta):
        try:
            return ended - beginning if ended else None
        except OverflowError:
            return None
    return beginning
