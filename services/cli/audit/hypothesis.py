"""What would have been otherwise, read from the files a person names."""

from typing import Any, cast, get_args

from cardtrail.events.errors import UsageError
from cardtrail.events.model.finding import Severity
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.cli.audit.again import Hypothesis
from cardtrail.services.cli.shell.near import near
from cardtrail.services.cli.shell.policy import capabilities, table_in
from cardtrail.services.verdict.rules import RULES

_WORDS = (*get_args(Severity), "off")


def hypothesis(rules: str | None, client: str | None, *, recompile: bool) -> Hypothesis:
    """Another client compiles kept cards anew by itself.

    Raises:
        UsageError: `config-invalid`, `file-unreadable`, `rule-unknown`.
    """
    severities = _severities(rules) if rules else {}
    other: ClientCapabilities | None = capabilities(client) if client else None
    return Hypothesis(severities=severities, client=other, compiles=recompile or other is not None)


def _severities(file: str) -> dict[str, Severity | None]:
    """A settings file with `[policy.severities]`, or the rules alone: rule = severity."""
    value: Any = table_in(file)
    for name in ("policy", "severities"):
        value = value.get(name, value) if isinstance(value, dict) else value
    if not isinstance(value, dict):
        raise UsageError("config-invalid", "severities are a table: rule = severity", file=file)
    return {rule: _severity(rule, word, file) for rule, word in value.items()}


def _severity(rule: str, word: Any, file: str) -> Severity | None:  # noqa: ANN401 — whatever the file holds
    if rule not in RULES:
        raise UsageError("rule-unknown", f'"{rule}" is no rule', file=file, hint=near(rule, RULES) or "cardtrail rules")
    if word not in _WORDS:
        raise UsageError("config-invalid", f"{rule}: one of {', '.join(_WORDS)}", file=file)
    return None if word == "off" else cast("Severity", word)
