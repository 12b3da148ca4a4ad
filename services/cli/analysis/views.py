"""The views that may be asked, as a document and as text."""

from collections.abc import Iterator, Sequence

from cardtrail.events.errors import UsageError
from cardtrail.projections.store_catalogue import ShownView, catalogue
from cardtrail.services.archive import archive_fold
from cardtrail.services.cli.outputs.sql import ViewColumn, ViewOutput, ViewsOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.near import near

_MORE = (
    "Times are UTC. Intervals are 95 %: wilson_low, wilson_high (k, n) bound a share, poisson_low, poisson_high (k) a count.",
    "What is counted is counted from --since on, or from SET VARIABLE since = TIMESTAMP '…'; late facts count nowhere.",
)


def views(names: Sequence[str]) -> ViewsOutput:
    """All of them, or those named.

    Raises:
        UsageError: `view-unknown`.
    """
    held = {view.name: view for view in catalogue(archive_fold().tables)}
    for name in names:
        if name not in held:
            raise UsageError("view-unknown", f'"{name}" is no view', hint=near(name, held) or "cardtrail sql --views")
    shown = tuple(_output(held[name]) for name in names or held)
    return ViewsOutput(format="cardtrail.sql-views/1", views=shown)


def lines(found: ViewsOutput, style: Style) -> Iterator[str]:
    """Each view with its columns: type, unit, meaning; then what else a query may use."""
    for place, view in enumerate(found.views):
        if place:
            yield ""
        yield f"{view.name}: one row is {view.row}"
        rows = [(f"  {one.name}", one.type, one.unit or "-", one.meaning) for one in view.columns]
        yield from style.table(("  COLUMN", "TYPE", "UNIT", "MEANING"), rows)
    yield from ("", *_MORE)


def _output(view: ShownView) -> ViewOutput:
    columns = tuple(ViewColumn(**column._asdict()) for column in view.columns)
    return ViewOutput(name=view.name, row=view.row, columns=columns, sql=view.sql)
