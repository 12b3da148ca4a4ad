"""Offline commands stay light: what a command does not need is not imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.cli.cards import card, lock, written

HEAVY = {
    "rich",
    "duckdb",
    "nats",
    "faststream",
    "httpx",
    "httpcore",
    "jinja2",
    "jwcrypto",
    "cryptography",
    "tldextract",
    "requests",
    "asyncio",
}
LOOK = (
    "import sys\nfrom cardtrail.services.cli.shell.running import run\ncode = run(sys.argv[1:])\n"
    "import json\nprint(json.dumps([code, sorted(name for name in sys.modules if '.' not in name)]), file=sys.stderr)"
)


def loaded(*arguments: str | Path) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    code, names = json.loads(done.stderr.splitlines()[-1])
    return code, set(names)


@pytest.mark.parametrize("command", ["check", "diff", "lint", "compile", "pin"])
def test_an_offline_command_imports_no_broker_database_network_or_terminal(command: str, tmp_path: Path) -> None:
    file = written(tmp_path / "card.json", card())
    arguments = {
        "check": [written(tmp_path / "lock.json", lock()), file],
        "diff": [file, file],
        "lint": [file],
        "compile": [file],
        "pin": [file, "--workflow", "w", "--everything"],
    }[command]
    code, names = loaded(command, *arguments, "--json")
    assert code == 0
    assert names & HEAVY == set()


def test_help_does_not_even_import_what_cards_are_read_with() -> None:
    code, names = loaded("--help")
    assert code == 0
    assert names & (HEAVY | {"rfc8785", "xml"}) == set()
