"""The report of a run that could judge nothing: why, in every format that was asked for."""

from collections.abc import Sequence

from cardtrail.events.errors import CardtrailError
from cardtrail.services.cli.formats.report import Report, Section, Tool
from cardtrail.services.cli.shell.failure import envelope, problems
from cardtrail.services.cli.shell.release import release


def failed(tool: Tool, error: CardtrailError, arguments: Sequence[str], file: str, about: tuple[str, str]) -> Report:
    """A section for each problem; `file` is the one of the repository that the run was about, `about` workflow and agent."""
    workflow, agent = about
    card = " ".join(one for one in arguments if one != file) or file
    sections = tuple(
        Section(
            card,
            "unknown",
            {"error": envelope(error)},
            workflow=workflow,
            agent=agent,
            file=file,
            failure=problem,
        )
        for problem in problems(error)
    )
    return Report(tool, sections, release=release(), failed=True)
