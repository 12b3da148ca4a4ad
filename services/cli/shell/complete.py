"""What a shell completes beside commands and options; it waits for the answer, so nothing heavy is imported."""

from importlib.util import find_spec
from pkgutil import iter_modules

import click
from click.shell_completion import CompletionItem

from cardtrail.services.cli.catalogue.error_codes import ERRORS


def rule_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rule ids by the names of their files, and error codes."""
    del ctx, param
    spec = find_spec("cardtrail.services.verdict.rules")
    places = spec.submodule_search_locations if spec else None
    files = (name for _, name, _ in iter_modules(places) if places)
    ids = (*(name.replace("_", "-") for name in files), *ERRORS)
    return [CompletionItem(id_) for id_ in ids if id_.startswith(incomplete)]
