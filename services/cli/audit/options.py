"""Options of a what-if, handed over as one value."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click

Body = Callable[..., Any]


class Otherwise(NamedTuple):
    """What would have been otherwise, as typed; all empty: nothing."""

    rules: str | None = None
    client: str | None = None
    recompile: bool = False


def what_if_options(body: Body) -> Body:
    """`--rules`, `--client` and `--recompile` as `otherwise`."""

    @click.option(
        "--rules", metavar="FILE", help="What if: other severities (TOML or JSON; a lock's own outrank them)."
    )
    @click.option("--client", metavar="FILE", help="What if: another client capability set (TOML or JSON).")
    @click.option("--recompile", is_flag=True, help="What if: this release's compiler over all kept cards.")
    @wraps(body)
    def bundled(*args: Any, rules: Any, client: Any, recompile: Any, **rest: Any) -> Any:  # noqa: ANN401 — click's values
        return body(*args, otherwise=Otherwise(rules, client, recompile), **rest)

    return bundled
