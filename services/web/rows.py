"""A view's table as CSV: the members of its rows under the names that they have in the view's JSON. Pure."""

import json
from typing import Any, get_args

from cardtrail.events.model.value import Value
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.csv_table import csv_table

_LONGEST = 2_000


def table_of(view: Value, member: str) -> str:
    """A line for each row of this member; what is a drawing with a shape of its own stands in the JSON alone."""
    (row, *_) = get_args(type(view).model_fields[member].annotation)
    columns = [name for name, field in row.model_fields.items() if not _drawn(field.annotation)]
    rows = view.model_dump(mode="json", include={member})[member]
    return csv_table(columns, [[_seen(one[name]) for name in columns] for one in rows])


def _drawn(kind: Any) -> bool:  # noqa: ANN401 — any annotation
    return isinstance(kind, type) and issubclass(kind, Value)


def _seen(value: object) -> object:
    """Text that others wrote, with what cannot be seen as its code."""
    if isinstance(value, list | dict):
        return plain(json.dumps(value, ensure_ascii=False), _LONGEST)
    return plain(value, _LONGEST) if isinstance(value, str) else value
