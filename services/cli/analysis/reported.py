"""One report: read from the archive as it is or as it was, written as HTML and Markdown, or told as JSON."""

import asyncio
import shlex
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import Stored
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_reader import Reader
from cardtrail.services.archive import SNAPSHOTS, archive_fold
from cardtrail.services.cli.analysis.since import Beginning, since
from cardtrail.services.cli.analysis.source import asking
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.outfile import write_text
from cardtrail.services.cli.shell.release import release
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.report.build import WRITTEN, build
from cardtrail.services.report.charts import available
from cardtrail.services.report.report import Report

_MEMORY_MB = 1024
_BATCH = 5_000


class Wanted(NamedTuple):
    """What is asked for: one provider or "", for whom, from when on, up to which fact (0 = all), files ("" = none)."""

    provider: str
    principal: str
    beginning: Beginning | None
    through: int
    output: str
    markdown: str
    config: Path | None


def report(console: Console, wanted: Wanted) -> None:
    """Make it; without a file and without JSON its sentences go to stdout.

    Raises:
        UsageError: `provider-unknown`, `log-empty`, `since-future`, `through-unknown`, `output-unwritable`. StoreAway.
    """
    made, note = _made(wanted)
    if wanted.output:
        from cardtrail.services.report.html import html  # noqa: PLC0415 — only who draws pays for it

        write_text(wanted.output, html(made))
    if wanted.markdown:
        from cardtrail.services.report.markdown import markdown  # noqa: PLC0415 — same

        write_text(wanted.markdown, markdown(made))
    if console.json:
        console.document(made.model_dump(mode="json"))
        return
    console.lines(*(plain(sentence, 900) for sentence in made.sentences))
    hints = [note] if note else []
    hints += [f"written: {plain(file)}" for file in (wanted.output, wanted.markdown) if file]
    if wanted.output and not available():
        hints.append("without charts; every number is in the tables. Charts: pip install 'cardtrail[report]'")
    console.hint(*hints, f"again: {plain(_again(made, wanted), 400)}")


def _again(made: Report, wanted: Wanted) -> str:
    """The command that gives the same bytes, into the files that were asked for."""
    files = (("-o", wanted.output), ("--markdown", wanted.markdown))
    named = " ".join(f"{option} {shlex.quote(file)}" for option, file in files if file)
    return f"{made.command.removesuffix(WRITTEN)}{named or WRITTEN}"


def _made(wanted: Wanted) -> tuple[Report, str]:
    return asking(wanted.config, lambda reader: _built(reader, wanted), memory_mb=_MEMORY_MB)


def _built(reader: Reader, wanted: Wanted) -> Report:
    with ExitStack() as held:
        if wanted.through and wanted.through != reader.through:
            reader = held.enter_context(_as_of(reader, wanted.through))
        begun = since(wanted.beginning, reader.ended)
        return build(reader, provider=wanted.provider, principal=wanted.principal, since=begun, release=release())


@contextmanager
def _as_of(reader: Reader, through: int) -> Iterator[Reader]:
    """The archive as it was when this fact was the last: the facts so far, folded anew."""
    if not (reader.first() or 0) <= through <= reader.through:
        hint = f"facts {reader.first() or 0} to {reader.through} are here"
        raise UsageError("through-unknown", f"fact {through} is not in the archive", hint=hint)
    with TemporaryDirectory(prefix="cardtrail-report-") as folder:
        path = asyncio.run(_folded(Path(folder), reader.facts(through=through)))
        with Reader(path, memory_mb=_MEMORY_MB) as past:
            yield past


async def _folded(folder: Path, facts: Iterable[Stored]) -> Path:
    fold, left = archive_fold(), iter(facts)
    store = DuckStore(folder, fold.tables, maker=SNAPSHOTS)
    try:
        rows, _ = await store.load()
        while batch := list(islice(left, _BATCH)):
            for stored in batch:
                rows.mark()
                fold.apply(stored, rows)
            await store.commit(rows, batch[-1].sequence)
        await store.promote()
        path = await store.snapshot()
    finally:
        await store.close()
    if path is None:
        raise AssertionError("a promoted store has a snapshot")
    return path
