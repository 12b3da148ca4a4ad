"""`cardtrail completion`: scripts for bash, zsh, fish and PowerShell."""

import click

from cardtrail.services.cli.shell.command import COMPLETE, OneOf, command
from cardtrail.services.cli.shell.console import Console

_SHELLS = ("bash", "zsh", "fish", "powershell")


@command(
    "completion",
    'eval "$(cardtrail completion bash)"',
    "cardtrail completion zsh > ~/.zfunc/_cardtrail",
    "cardtrail completion fish > ~/.config/fish/completions/cardtrail.fish",
)
@click.argument("shell", type=OneOf(_SHELLS), help="The shell to complete in.")
def run(console: Console, shell: str) -> None:
    """Print the completion script of a shell.

    Load it once per session, or write it where the shell looks for completions.
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415 — no other command needs it

    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    if kind is not None:
        script = kind.source_template % kind(root, {}, "cardtrail", COMPLETE).source_vars()
        if console.json:
            console.document({"format": "cardtrail.completion/1", "shell": shell, "script": script})
        else:
            console.lines(*script.splitlines())
