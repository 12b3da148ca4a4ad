"""Names in the settings that nobody could read, ask for or tell apart: told with the key, the reason and what to write. Pure."""

from collections.abc import Iterator, Mapping

from cardtrail.services.config_trust import Problem
from cardtrail.services.names import LONGEST, alike, wrong
from cardtrail.services.settings import Settings

_HINT = f"at most {LONGEST} visible characters of one alphabet, such as trip-planner"


def name_problems(settings: Settings) -> Iterator[Problem]:
    """Everything wrong with names, in the order of the settings; names of one table are compared with each other."""
    tables: dict[str, Mapping[str, object]] = {
        "agents": settings.agents,
        "workflows": settings.workflows,
        "credentials": settings.credentials,
        "channels": settings.channels,
        "registries": settings.registries,
    }
    for table, held in tables.items():
        yield from _of_table(table, held)
    for name, agent in settings.agents.items():
        yield from _principals(("agents", name, "principals"), agent.principals)
    for name, registry in settings.registries.items():
        yield from _principals(("registries", name, "principals"), registry.principals)
    for name, flow in settings.workflows.items():
        yield from _principals(("workflows", name, "principal"), (flow.principal,))


def _of_table(table: str, held: Mapping[str, object]) -> Iterator[Problem]:
    for name in held:
        if reason := wrong(name):
            yield Problem((table, name), f"a name {reason}", _HINT)
    for name, other in alike(held):
        yield Problem((table, name), f'"{name}" reads like "{other}"', "give each a name of its own")


def _principals(path: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Problem]:
    for name in names:
        if reason := wrong(name):
            yield Problem(path, f"a principal's name {reason}", _HINT)
