"""`cardtrail candidates`: who could do it, who may not and why, in which order the others stand."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "candidates",
    "cardtrail candidates --skill-tag fx-conversion --input application/json --output application/json",
    "cardtrail candidates --skill-tag translation --principal mira --tenant eu --json",
    "cardtrail candidates --skill itinerary-pricing --streaming --for-model",
)
@click.option("--skill-tag", "tags", multiple=True, metavar="TAG", help="A tag of the skill; of several all.")
@click.option("--skill", metavar="ID", help="The skill's id.")
@click.option("--input", "inputs", multiple=True, metavar="MODE", help="A media type that is sent; all must be taken.")
@click.option("--output", "outputs", multiple=True, metavar="MODE", help="One that is wanted; one must be given.")
@click.option("--streaming", is_flag=True, help="It must stream.")
@click.option("--tenant", metavar="NAME", help="Whose request it is, as registries list their agents.")
@click.option("--principal", default="public", help="As whom the agents are seen; default public.")
@click.option("--for-model", is_flag=True, help="Also print the survivors' texts, quoted as untrusted data.")
@config_option
def run(  # noqa: PLR0913 — one parameter for each option
    console: Console,
    *,
    tags: tuple[str, ...],
    skill: str | None,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    streaming: bool,
    tenant: str | None,
    principal: str,
    for_model: bool,
    config: Path | None,
) -> int:
    """Choose among the agents that are watched: hard filters with their reasons, then the order of those that pass.

    No text of a card can pass a filter or change the order. Exit 1 where nobody passes.
    """
    from cardtrail.services.cli.live.choosing import choose, lines  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.planner.filters import Wanted  # noqa: PLC0415 — same

    wanted = Wanted(tags=tags, skill=skill, input=inputs, output=outputs, streaming=streaming, tenant=tenant)
    found = on_tracker(config, lambda tracker: choose(tracker, wanted, principal, with_texts=for_model))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
    return 0 if found.passed else 1
