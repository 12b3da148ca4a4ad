"""What the operator decided, for the offline commands: the settings file, `--client` over it, else the defaults."""

import codecs
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from cardtrail.events.errors import UsageError
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.services.card.document import LIMITS
from cardtrail.services.cli.live.config import DEFAULT, load_settings
from cardtrail.services.cli.shell.inputs import read_file

_KNOWN = ", ".join(ClientCapabilities.model_fields)


def policy_in_force(config: Path | None, client: str | None = None) -> Policy:
    """The policy of the settings file, where there is one, with the capabilities of the `--client` file, where one is given.

    Raises:
        UsageError: `config-invalid`, `config-unreadable`, `file-unreadable`.
    """
    policy = load_settings(config).policy_fact() if config or DEFAULT.exists() else Policy()
    return policy.model_copy(update={"client": capabilities(client)}) if client else policy


def capabilities(file: str) -> ClientCapabilities:
    """A TOML or JSON file: a settings file with `[client]`, or the members alone."""
    from cardtrail.services.settings import Settings  # noqa: PLC0415 — the defaults need no settings

    value = table_in(file)
    if "client" not in value and value.keys() & Settings.model_fields.keys():
        raise UsageError(
            "config-invalid", "a settings file without [client]", file=file, hint=f"[client] with {_KNOWN}"
        )
    try:
        found = ClientCapabilities.model_validate(value.get("client", value))
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in ("client", *first["loc"]))
        what = "unknown setting" if first["type"] == "extra_forbidden" else first["msg"]
        raise UsageError("config-invalid", what, file=file, path=path, hint=f"known: {_KNOWN}") from error
    from cardtrail.services.config_meaning import client_problems  # noqa: PLC0415 — the defaults need no check

    for problem in client_problems(found):
        raise UsageError("config-invalid", problem.message, file=file, path=".".join(problem.path), hint=problem.hint)
    return found


def table_in(file: str) -> dict[str, Any]:
    """What a TOML or JSON file holds.

    Raises:
        UsageError: `config-invalid`, `file-unreadable`.
    """
    data = read_file(file).data.removeprefix(codecs.BOM_UTF8)
    if len(data) > LIMITS.size:
        raise UsageError("config-invalid", f"more than {LIMITS.size} bytes", file=file)
    try:
        value = from_json(data) if data.lstrip()[:1] == b"{" else tomllib.loads(data.decode())
    except RecursionError as error:
        raise UsageError("config-invalid", "nested too deeply", file=file) from error
    except ValueError as error:
        raise UsageError("config-invalid", f"neither TOML nor JSON: {error}", file=file) from error
    if not isinstance(value, dict):
        raise UsageError("config-invalid", "a table of settings is wanted", file=file)
    return value
