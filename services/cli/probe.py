"""`cardtrail probe`: put an agent's claims to the test."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import Span
from cardtrail.services.cli.shell.command import OneOf, command
from cardtrail.services.cli.shell.console import Console, Level
from cardtrail.services.cli.shell.text import plain

_LEVELS: dict[str, Level] = {"held": "ok", "contradicted": "error", "inconclusive": "warning"}
_PROBES = (
    *("binding-answers", "version-enforced", "security-required", "extended-card"),
    *("streaming", "input-mode", "output-mode", "extension-enforced"),
)


@command(
    "probe",
    "cardtrail probe pricing",
    "cardtrail probe pricing --probe streaming",
    "cardtrail probe pricing --probe binding-answers --within 2m --json",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option("--probe", "name", type=OneOf(_PROBES), default=None, help="Only this test; default what locks need.")
@click.option("--principal", metavar="WHO", default=None, help="As they see it; default the only one, else public.")
@click.option("--within", type=Span(), default="60s", help="How long to wait; default 60s, then exit 4.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console, agent: str, *, name: str | None, principal: str | None, within: int, config: Path | None
) -> int:
    """Put an agent's claims to the test now; exit 1 where one is contradicted.

    What may run a message is sent only as the safety contract of the settings says; without one it is refused, exit 2.
    """
    from cardtrail.services.cli.live.probing import probe  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda on: probe(on, agent, principal, name or "", float(within)))
    if console.json:
        console.document(found.model_dump(mode="json"))
    for test in () if console.json else found.tests:
        claim = " ".join(part for part in (test.claim.kind, test.claim.skill, test.claim.value) if part)
        word = console.out.marked(_LEVELS[test.outcome], test.outcome)
        console.lines(f"{word}  {plain(claim)}  {plain(test.reason)}  {plain(test.detail)}".rstrip())
    return 1 if any(test.outcome == "contradicted" for test in found.tests) else 0
