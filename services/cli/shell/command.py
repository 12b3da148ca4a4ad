"""What a command is here: click's, with the options all share, `CARDTRAIL_` variables, examples in its help, a console."""

import json
import shlex
from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from cardtrail.services.cli.shell.console import Console, When

Body = Callable[..., int | None]
COMPLETE = "_CARDTRAIL_COMPLETE"
_OUTPUT = frozenset(("format_", "outs", "level", "json", "color"))


class OneOf(click.Choice[str]):
    """A choice whose refusal names the value and the words allowed."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """In the words of all our usage errors."""
        del ctx
        return f"{json.dumps(value)}: one of {', '.join(self.choices)}"


def shared_options() -> list[click.Parameter]:
    """The options every command takes, and the program itself takes for all of them."""
    return [
        click.Option(["--json"], is_flag=True, default=None, help="One JSON document on stdout, errors included."),
        click.Option(["--color"], type=OneOf(["auto", "always", "never"]), default=None, help="When to use colour."),
    ]


class Command(click.Command):
    """A command whose body gets a `Console` first and returns its exit code (None = 0)."""

    examples: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Add the shared options; every option can also be set as CARDTRAIL_ and its long name."""
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())
        for param in self.params:
            if isinstance(param, click.Option) and param.envvar is None:
                param.envvar = variable(param)

    def invoke(self, ctx: click.Context) -> int:
        """Run the body with the console that the options ask for."""
        console = console_of(ctx)
        ctx.obj = console
        ctx.params.pop("json")
        ctx.params.pop("color")
        return ctx.invoke(self.callback, console, **ctx.params) or 0 if self.callback else 0

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, as they are typed."""
        del ctx
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in self.examples))


def command(name: str, *examples: str, **settings: Any) -> Callable[[Body], Command]:
    """Make a body a command; its docstring is the help, its first sentence the summary in COMMANDS; three examples."""

    def decorate(body: Body) -> Command:
        made = click.command(name, cls=Command, **settings)(body)
        made.examples = examples
        return made

    return decorate


def variable(option: click.Option) -> str:
    """The environment variable of an option: `--fail-on` is CARDTRAIL_FAIL_ON."""
    longest = max(option.opts, key=len)
    return "CARDTRAIL_" + longest.lstrip("-").upper().replace("-", "_")


def repeated(context: click.Context) -> str:
    """The command as it was given, also by variables, but for where its output goes and how it looks."""
    words = ["cardtrail", str(context.info_name)]
    given = [one for one in context.command.params if _is_given(context, one)]
    for param in sorted(given, key=lambda one: isinstance(one, click.Option)):
        value = context.params[str(param.name)]
        each = value if isinstance(value, tuple) else (value,)
        if isinstance(param, click.Option):
            name = max(param.opts, key=len)
            words += [name] if param.is_flag else [word for one in each for word in (name, str(one))]
        else:
            words += map(str, each)
    return shlex.join(words)


def _is_given(context: click.Context, param: click.Parameter) -> bool:
    name = str(param.name)
    is_told = context.get_parameter_source(name) in {ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT}
    return is_told and name not in _OUTPUT and context.params.get(name) not in {None, False}


def console_of(ctx: click.Context) -> Console:
    """The console by the nearest context that sets an option."""
    when: When = _nearest(ctx, "color") or "auto"
    return Console(json=bool(_nearest(ctx, "json")), when=when)


def _nearest(ctx: click.Context | None, option: str) -> Any:  # noqa: ANN401 — an option's value
    while ctx is not None:
        if ctx.params.get(option) is not None:
            return ctx.params[option]
        ctx = ctx.parent
    return None
