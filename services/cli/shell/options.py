"""Options that several commands share, each group handed over as one value."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.formats import FORMATS
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import OneOf

Body = Callable[..., Any]
SEVERITIES = ("breaking", "review", "note")


class Printing(NamedTuple):
    """How findings are printed: `format` of stdout (None = text), further FORMAT=FILE, mildest word listed, word that fails."""

    format: str | None
    outs: tuple[str, ...]
    level: str
    fail_on: str | None


class Reach(NamedTuple):
    """Where a card may come from: networks and cleartext opened beside public https, and the settings file for the rest.

    `exact`: the URL that is given is the card's own, and nothing else is asked.
    """

    networks: tuple[str, ...] = ()
    cleartext: bool = False
    config: Path | None = None
    exact: bool = False


class Renewal(NamedTuple):
    """The lock that is to be renewed, whether what was shown of its claims is looked up, whether unmet needs are dropped."""

    lock: str | None = None
    evidence: bool = False
    need_less: bool = False


def printing_options(
    words: Sequence[str], *, level: str, gates: Sequence[str], gate: str | None
) -> Callable[[Body], Body]:
    """`--format`, `--out`, `--level` and `--fail-on` as `printing`, in the command's own words, with its defaults."""
    failing = f"default {gate}" if gate else "default: exit 0 whatever is found"
    options = (
        click.option("--fail-on", type=OneOf(gates), default=gate, help=f"Exit 1 from this severity on; {failing}."),
        click.option(
            "--level", type=OneOf(words), default=level, help=f"Mildest severity that text lists; default {level}."
        ),
        click.option("--out", "outs", multiple=True, metavar="FORMAT=FILE", help="Also write this format to a file."),
        click.option("--format", "format_", type=OneOf(FORMATS), help="What stdout gets; default text."),
    )

    def decorate(body: Body) -> Body:
        @wraps(body)
        def bundled(*args: Any, format_: Any, outs: Any, level: Any, fail_on: Any, **rest: Any) -> Any:  # noqa: ANN401 — click's values
            return body(*args, printing=Printing(format_, outs, level, fail_on), **rest)

        return _with(bundled, options)

    return decorate


def reach_options(body: Body) -> Body:
    """`--network`, `--cleartext`, `--exact` and `--config` as `reach`."""
    return click.option("--exact", is_flag=True, help="A URL is the card's own, whatever its name.")(
        place_options(body)
    )


def place_options(body: Body) -> Body:
    """The same for what is no card."""
    options = (
        config_option,
        click.option("--cleartext", is_flag=True, help="A URL may be http."),
        click.option(
            "--network", "networks", multiple=True, metavar="CIDR", help="A URL may lead into this private network."
        ),
    )

    @wraps(body)
    def bundled(*args: Any, networks: Any, cleartext: Any, config: Any, exact: Any = False, **rest: Any) -> Any:  # noqa: ANN401 — click's values
        return body(*args, reach=Reach(networks, cleartext, config, exact), **rest)

    return _with(bundled, options)


def needs_options(body: Body) -> Body:
    """What a workflow needs of a card, as `needs` by the names that `pin` knows."""
    options = (
        click.option("--owner", default="", help="Who is told."),
        click.option("--extension", "extensions", multiple=True, metavar="URI", help="An extension it activates."),
        click.option("--extended-card", is_flag=True, help="It reads the extended card."),
        click.option("--push", is_flag=True, help="It uses push notifications."),
        click.option("--streaming", is_flag=True, help="It streams."),
        click.option("--everything", is_flag=True, help="It needs all that the card offers."),
        click.option("--skill", "skills", multiple=True, metavar="ID", help="A skill it uses; may be repeated."),
    )
    names = ("owner", "extensions", "extended_card", "push", "streaming", "everything", "skills")

    @wraps(body)
    def bundled(*args: Any, **given: Any) -> Any:  # noqa: ANN401 — click's values
        return body(*args, needs={name: given.pop(name) for name in names}, **given)

    return _with(bundled, options)


def renewal_options(body: Body) -> Body:
    """`--update`, `--evidence` and `--need-less` as `renewal`."""
    options = (
        click.option("--need-less", is_flag=True, help="With --update: drop needs that the card no longer meets."),
        click.option(
            "--evidence", is_flag=True, help="With --update: also what the tracker's tests and calls have shown."
        ),
        click.option("--update", metavar="LOCK", help="Renew this lock for the card; prints the patch."),
    )

    @wraps(body)
    def bundled(*args: Any, update: Any, evidence: Any, need_less: Any, **rest: Any) -> Any:  # noqa: ANN401 — click's values
        if update is None and (evidence or need_less):
            option = "--need-less" if need_less else "--evidence"
            raise UsageError("usage", f"{option} is about a lock that is renewed", hint="--update LOCK")
        return body(*args, renewal=Renewal(update, evidence, need_less), **rest)

    return _with(bundled, options)


keys_option = click.option(
    "--keys", "names", multiple=True, metavar="JWKS", help="Keys you trust: file or https URL; default the settings'."
)
"""`--keys`: who may have signed."""

client_option = click.option(
    "--client", metavar="FILE", help="Client capabilities (TOML or JSON); default JSONRPC and HTTP+JSON at 1.0 and 0.3."
)
"""`--client`: what our side implements."""


def _with(body: Body, options: Sequence[Callable[[Body], Body]]) -> Body:
    for option in options:
        body = option(body)
    return body
