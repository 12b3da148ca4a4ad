"""`cardtrail help`: a command's help, or a topic that holds for all of them."""

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli import COMMANDS
from cardtrail.services.cli.catalogue.topics import EXIT_CODES, TOPICS
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.near import near


@command("help", "cardtrail help exit-codes", "cardtrail help check", "cardtrail help settings > cardtrail.toml")
@click.argument(
    "topic", default="", help="A command, or exit-codes, environment, formats, signatures, bundles, settings."
)
def run(console: Console, topic: str) -> None:
    """Explain a command or a topic.

    Without a topic: the commands, and the topics there are.
    """
    root = click.get_current_context().find_root()
    if topic in TOPICS:
        _page(console, topic, TOPICS[topic], dict(EXIT_CODES) if topic == "exit-codes" else None)
    elif topic in {entry.name for entry in COMMANDS}:
        group = root.command
        made = group.get_command(root, topic) if isinstance(group, click.Group) else None
        if made:
            _page(console, topic, made.get_help(click.Context(made, root, topic)))
    elif topic:
        names = [*TOPICS, *(entry.name for entry in COMMANDS)]
        raise UsageError(
            "topic-unknown",
            f'"{topic}" is no command and no topic',
            hint=near(topic, names) or "cardtrail help lists both",
        )
    else:
        _page(console, "cardtrail", f"{root.get_help()}\n\nTopics: {', '.join(TOPICS)}")


def _page(console: Console, topic: str, text: str, codes: dict[int, str] | None = None) -> None:
    if console.json:
        console.document({"format": "cardtrail.help/1", "topic": topic, "text": text, "exit_codes": codes})
    else:
        console.lines(*text.splitlines())
