"""The settings as they stand here: readable, and what they name is there."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.checks.gathered import Gathered, failed, ok, warning
from cardtrail.services.cli.outputs.doctor import Check


def checks(found: Gathered) -> Iterator[Check]:
    """One answer per problem."""
    for problem in found.problems:
        yield failed("settings", problem, "name an existing file in the settings")
    if found.network:
        said = f"the data folder lies on {found.network}: file locks may not hold there, nor what is flushed"
        yield warning("settings", said, "[broker] data on a local disk; cardtrail backup copies it elsewhere")
    if not found.problems:
        agents, flows = len(found.settings.agents), len(found.settings.workflows)
        yield ok("settings", f"valid: {counted(agents, 'agent')}, {counted(flows, 'workflow')}")
