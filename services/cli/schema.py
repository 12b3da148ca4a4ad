"""`cardtrail schema`: the published JSON Schemas and the AsyncAPI document, generated from the code that is running."""

from pathlib import Path

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.catalogue.documents import document, documents, names
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console, as_json
from cardtrail.services.cli.shell.near import near
from cardtrail.services.cli.shell.outfile import write_text


@command("schema", "cardtrail schema check", "cardtrail schema event.card-fetched", "cardtrail schema --all -o schemas")
@click.argument("name", default="", help="A schema's name, or asyncapi; without one the names are listed.")
@click.option("--all", "everything", is_flag=True, help="Every schema in one object by name; with -o a file each.")
@click.option("-o", "--output", metavar="PATH", help="Write to this file, or with --all into this folder.")
def run(console: Console, name: str, *, everything: bool, output: str | None) -> None:
    """Print JSON Schemas of events, lockfiles and outputs, or the AsyncAPI document.

    A schema is JSON Schema 2020-12; `asyncapi` is an AsyncAPI 3.0 document of the log.
    """
    if everything and output is not None:
        for each, made in documents().items():
            write_text(str(Path(output) / f"{each}.json"), as_json(made) + "\n")
    elif everything:
        console.document(documents())
    elif name:
        _one(console, name, output)
    elif console.json:
        console.document({"format": "cardtrail.schema/1", "names": names()})
    else:
        console.lines(*names())


def _one(console: Console, name: str, output: str | None) -> None:
    if name not in names():
        hint = near(name, names()) or "cardtrail schema lists them"
        raise UsageError("schema-unknown", f'"{name}" is no schema', hint=hint)
    if output is not None:
        write_text(output, as_json(document(name)) + "\n")
    else:
        console.document(document(name))
