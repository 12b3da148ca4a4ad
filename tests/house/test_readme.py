"""What the README tells a reader to type is what the program takes; its tour runs as written, its settings are read."""

import ast
import re
import shlex
from importlib import import_module
from pathlib import Path

import click
import duckdb
import pytest

from cardtrail.services.cli import COMMANDS
from cardtrail.services.cli.audit.hypothesis import hypothesis
from cardtrail.services.config_file import read_settings
from tests.house.tree import ROOT
from tests.services.cli.program import cardtrail

TEXT = (ROOT / "README.md").read_text("utf-8")
MODULES = {entry.name: entry.module for entry in COMMANDS}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def typed(block: str) -> list[list[str]]:
    """The arguments of each `cardtrail …` line."""
    lines = [shlex.split(line[2:].split(" > ")[0], comments=True) for line in block.splitlines() if line[:2] == "$ "]
    return [words[1:] for words in lines if words[0] == "cardtrail"]


@pytest.mark.parametrize("words", [words for block in blocks("console") for words in typed(block)], ids=" ".join)
def test_a_line_of_the_readme_is_understood(words: list[str]) -> None:
    command = import_module(f"cardtrail.services.cli.{MODULES[words[0]]}").run
    try:
        command.make_context(words[0], words[1:])
    except click.BadParameter as wrong:
        assert "does not exist" in wrong.message  # noqa: PT017 — the line's file is the reader's, not ours


def test_the_offline_tour_runs_as_written(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    tour = next(block for block in blocks("console") if "cardtrail lint" in block)
    codes = {words[0]: cardtrail(*words, cwd=tmp_path).code for words in typed(tour)}
    assert codes == {"lint": 0, "compile": 0, "verify": 0, "pin": 0, "check": 1, "diff": 0, "rules": 0}


@pytest.mark.parametrize("block", blocks("python"))
def test_a_name_that_a_program_of_the_readme_uses_is_imported_there(block: str) -> None:
    tree = compile(block, "README.md", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    known: dict[str, object] = {}
    exec(compile(ast.Module(imports, []), "README.md", "exec"), known)  # noqa: S102 — our own README
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert {name for name in used if name[0].isupper() or name == "httpx"} <= known.keys()


def test_a_file_that_a_command_reads_is_shown_before_it() -> None:
    lines = [line for block in blocks("console") for line in block.splitlines()]
    written = [line.partition(" > ")[2].split()[0] for line in lines if line.startswith("$ echo ")]
    read = [
        word for line in lines if "$ cardtrail" in line for word in line.split() if word.endswith((".toml", ".sql"))
    ]
    assert written == read == ["stricter.toml", "quarter.sql"]


def test_rules_and_queries_of_the_readme_are_understood(tmp_path: Path) -> None:
    shown = dict(re.findall(r"\$ echo '(.*)' > (\S+)", TEXT))
    rules, query = ({file: text for text, file in shown.items()}[name] for name in ("stricter.toml", "quarter.sql"))
    (tmp_path / "stricter.toml").write_text(rules)
    assert hypothesis(str(tmp_path / "stricter.toml"), None, recompile=False).severities
    assert duckdb.extract_statements(query)[0].type == duckdb.StatementType.SELECT


@pytest.mark.parametrize("block", blocks("toml"))
def test_settings_of_the_readme_are_read(block: str) -> None:
    read_settings(block, "README.md", Path("/etc/cardtrail"))
