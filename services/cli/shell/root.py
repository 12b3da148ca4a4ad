"""The program: finds commands by COMMANDS, imports the one that is asked for and no other."""

from importlib import import_module
from itertools import groupby

import click
from click.shell_completion import CompletionItem

from cardtrail.services.cli import COMMANDS, Entry
from cardtrail.services.cli.shell.command import shared_options
from cardtrail.services.cli.shell.release import release

_PACKAGE = "cardtrail.services.cli"
_BY_NAME: dict[str, Entry] = {entry.name: entry for entry in COMMANDS}


class Root(click.Group):
    """`cardtrail`: lists its commands from the registry, in its groups and order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the registry."""
        del ctx
        return list(_BY_NAME)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; None where the name is unknown."""
        del ctx
        entry = _BY_NAME.get(cmd_name)
        if entry is None:
            return None
        made = import_module(f"{_PACKAGE}.{entry.module}").run
        return made if isinstance(made, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with near names taken from the registry."""
        if args[0] not in _BY_NAME and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=_BY_NAME, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by group; nothing is imported."""
        del ctx
        for group, entries in groupby(COMMANDS, key=lambda entry: entry.group):
            with formatter.section(group):
                formatter.write_dl([(entry.name, entry.summary) for entry in entries], col_max=20)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Command names from the registry, else the program's own options."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(entry.name, help=entry.summary) for entry in COMMANDS if entry.name.startswith(incomplete)
        ]


def program() -> Root:
    """The root command with its own options."""
    return Root(
        "cardtrail",
        help=(
            "Keep the trail of what remote A2A agents say they can do, and of what a change means for the workflows that "
            "depend on them."
        ),
        epilog="See also: cardtrail help exit-codes, cardtrail help COMMAND, cardtrail rules",
        params=[*shared_options(), _version()],
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        no_args_is_help=True,
    )


def _version() -> click.Option:
    def print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: FBT001 — click calls it so
        del param
        if value and not ctx.resilient_parsing:
            click.echo(f"cardtrail {release()}")
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_version,
        help="Print the version.",
    )
