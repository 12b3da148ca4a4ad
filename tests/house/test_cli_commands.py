"""The command line is complete: every command is registered, has help that teaches, and a published output."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import click
import pytest

from cardtrail.services.cli import COMMANDS, Entry
from cardtrail.services.cli.shell.command import Command
from tests.house.tree import ROOT, lines, modules

CLI = "services/cli"
NOT_COMMANDS = {"__init__", "__main__", "main"}
entries = pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)


def command_of(entry: Entry) -> Command:
    made = import_module(f"cardtrail.services.cli.{entry.module}").run
    assert isinstance(made, Command)
    return made


def test_the_registry_and_the_folder_name_the_same_commands() -> None:
    files = {Path(path).stem for path in modules() if path.startswith(f"{CLI}/") and path.count("/") == 2}
    assert {entry.module for entry in COMMANDS} == files - NOT_COMMANDS
    assert len({entry.name for entry in COMMANDS}) == len(COMMANDS)


def test_commands_of_a_group_stand_together() -> None:
    groups = [entry.group for entry in COMMANDS]
    assert len(set(groups)) == sum(group != before for before, group in zip(["", *groups], groups, strict=False))


@entries
def test_a_command_is_called_by_its_registered_name_and_summary(entry: Entry) -> None:
    made = command_of(entry)
    assert made.name == entry.name
    assert " ".join((made.help or "").split()).startswith(entry.summary)


@entries
def test_a_command_shows_three_examples_of_itself(entry: Entry) -> None:
    made = command_of(entry)
    assert len(made.examples) == 3
    assert any(f"cardtrail {entry.name}" in example for example in made.examples)
    page = made.get_help(click.Context(made, info_name=entry.name))
    assert all(example in page for example in made.examples)


@entries
def test_every_option_and_argument_says_what_it_is(entry: Entry) -> None:
    silent = [param.name for param in command_of(entry).params if not getattr(param, "help", None)]
    assert silent == []


@entries
def test_the_examples_are_understood(entry: Entry) -> None:
    for example in command_of(entry).examples:
        words = shlex.split(example.removeprefix('eval "$(').removesuffix(')"').split(" > ")[0].split(" | ")[0])
        if "cardtrail" not in words:
            continue  # `make demo`
        start = words.index("cardtrail")
        name, rest = words[start + 1], words[start + 2 :]
        made = command_of(next(one for one in COMMANDS if one.name == name))
        try:
            made.make_context(name, rest)
        except click.BadParameter as wrong:
            assert "does not exist" in wrong.message  # noqa: PT017 — the example's file is the reader's, not ours


@entries
def test_a_command_file_is_short(entry: Entry) -> None:
    assert lines(f"{CLI}/{entry.module}.py") <= 60


@entries
def test_a_command_that_prints_a_document_has_a_published_shape(entry: Entry) -> None:
    prints = "console.document" in (ROOT / CLI / f"{entry.module}.py").read_text("utf-8")
    shape = ROOT / CLI / "outputs" / f"{entry.module}.py"
    assert shape.exists() or not prints
    assert not shape.exists() or import_module(f"cardtrail.services.cli.outputs.{entry.module}").OUTPUTS


@entries
def test_the_readme_shows_the_command(entry: Entry) -> None:
    assert re.search(rf"cardtrail\s+{entry.name}\b", (ROOT / "README.md").read_text("utf-8"))
