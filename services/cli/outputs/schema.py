"""`cardtrail schema --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class SchemaListOutput(Value):
    """`cardtrail schema --json`: the names there are; a schema itself is printed as it is."""

    format: Literal["cardtrail.schema/1"]
    names: tuple[str, ...]


OUTPUTS: tuple[type[Value], ...] = (SchemaListOutput,)
