"""`cardtrail accounts`: what a broker of yours needs in its configuration."""

from pathlib import Path

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.live.config import config_option, load_settings
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.locks import open_lock


@command(
    "accounts",
    "cardtrail accounts > accounts.conf",
    "cardtrail accounts trip.lock.json fx.lock.json > accounts.conf",
    "cardtrail accounts --config cardtrail.toml --json",
)
@click.argument("locks", nargs=-1, metavar="[LOCK]...", help="Lockfiles; default those of the settings' workflows.")
@config_option
def run(console: Console, locks: tuple[str, ...], *, config: Path | None) -> None:
    """Print the accounts of a NATS server: the services' own, and for each principal one in which its planners see no more.

    Write `include accounts.conf` in the server's configuration and set the variables named there: the server takes the
    passwords from its environment. Services and commands use NATS_URL=nats://cardtrail:PASSWORD@HOST:4222.
    """
    from cardtrail.services.broker_users import broker_users  # noqa: PLC0415 — help needs no broker's names
    from cardtrail.services.cli.live.broker_users import shown_users  # noqa: PLC0415 — same
    from cardtrail.services.telling import read_locks  # noqa: PLC0415 — same

    named = [open_lock(file).lockfile for file in locks] or [*read_locks(load_settings(config)).values()]
    if not named:
        raise UsageError("argument-missing", "no lock tells of a workflow", hint="cardtrail accounts LOCK...")
    found = shown_users(broker_users(named))
    if console.json:
        console.document(found.model_dump(mode="json"))
        return
    console.lines(*found.configuration.splitlines())
    variables = ", ".join(user.password_env for user in found.users)
    console.hint(f"nats-server reads from its environment: {variables}. Begin each with a letter.")
