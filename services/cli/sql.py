"""`cardtrail sql`: questions of an analyst to the archive."""

from pathlib import Path

import click

from cardtrail.services.cli.analysis.since import Beginning, Since
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import OneOf, command
from cardtrail.services.cli.shell.console import Console


@command(
    "sql",
    "cardtrail sql --views",
    'cardtrail sql "SELECT * FROM provider_reliability ORDER BY claims_kept_low DESC"',
    "cardtrail sql --file quarter.sql --since 90d --format parquet -o quarter.parquet",
)
@click.argument("query", default="", help="The SQL text, or - for stdin; with --views the name of a view.")
@click.option("--file", metavar="FILE", help="Read the SQL text from a file.")
@click.option("--views", "listing", is_flag=True, help="List the views with columns, units and definitions.")
@click.option("--format", "format_", type=OneOf(["table", "csv", "json", "parquet"]), help="Default table.")
@click.option("-o", "--output", metavar="FILE", default="", help="Write the answer to a file.")
@click.option("--rows", type=click.IntRange(1), default=10_000, help="Most rows; default 10000. Parquet has all.")
@click.option("--seconds", type=click.FloatRange(0.01, 86_400), default=60.0, help="Longest time; default 60.")
@click.option("--since", "beginning", type=Since(), help="Count from then on; 90d is before the last fact.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    query: str,
    *,
    file: str | None,
    listing: bool,
    format_: str | None,
    output: str,
    rows: int,
    seconds: float,
    beginning: Beginning | None,
    config: Path | None,
) -> None:
    """Ask the archive in SQL (DuckDB), whether the tracker runs or not.

    The answer comes from a snapshot, opened read only, with no file or network within reach. Without --json, hints on stderr
    say how fresh it is. In CSV a text that a spreadsheet would run as a formula begins with an apostrophe.
    """
    if listing:
        from cardtrail.services.cli.analysis.views import lines, views  # noqa: PLC0415 — help needs no database

        found = views(tuple(query.split()))
        if console.json:
            console.document(found.model_dump(mode="json"))
        else:
            console.lines(*lines(found, console.out))
        return
    from cardtrail.services.cli.analysis.asked import Wanted, answer, text_of  # noqa: PLC0415 — same

    kind = format_ or ("json" if console.json else "table")
    answer(console, Wanted(text_of(query, file), kind, output, rows, seconds, beginning, config))
