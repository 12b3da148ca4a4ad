"""`cardtrail scan`: what a registry offers, before anybody watches it."""

import click

from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.options import Reach, place_options


@command(
    "scan",
    "cardtrail scan ai-catalog:https://registry.corp.example --tag fx-conversion",
    "cardtrail scan company --config cardtrail.toml --look",
    "cardtrail scan agents.json --tenant eu --json",
)
@click.argument("registry", help="A name in the settings, KIND:PLACE, or the place of a plain list.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only entries with one of these tags.")
@click.option("--tenant", metavar="NAME", help="Only entries of this tenant of the registry.")
@click.option("--look", is_flag=True, help="Look at each card too, and say what would come of it.")
@place_options
def run(  # noqa: PLR0913 — a command's options
    console: Console, registry: str, *, tags: tuple[str, ...], tenant: str | None, look: bool, reach: Reach
) -> int:
    """Walk a registry now: what each entry would become as a watched agent, and why others would not.

    Nothing is told or kept, and no tracker is asked. Exit 4 where the registry does not answer in whole, 3 where what it
    answers is no listing; an entry that is refused is no failure.
    """
    from cardtrail.services.cli.formats.text_scan import lines  # noqa: PLC0415 — help needs no network
    from cardtrail.services.cli.shell.registry import scan  # noqa: PLC0415 — same

    found, code = scan(registry, tags, tenant, reach, look=look)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
    return code
