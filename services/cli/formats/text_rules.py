"""The catalogue for people: a table of many entries, a page of one."""

from collections.abc import Iterator

from cardtrail.services.cli.catalogue.entries import Catalogue
from cardtrail.services.cli.formats.report import MARKS
from cardtrail.services.cli.outputs.rules import DiagnosticOutput, ErrorCodeOutput, RuleOutput
from cardtrail.services.cli.shell.console import Style


def table(found: Catalogue, style: Style) -> list[str]:
    """One row an entry, in the order of the catalogue; a table for each kind."""
    return [line for part in found.parts() for line in _table(part, style)]


def _table(found: Catalogue, style: Style) -> list[str]:
    if found.rules:
        rows = [(rule.id, rule.in_force or "off", rule.set_by, rule.title) for rule in found.rules]
        return style.table(("RULE", "SEVERITY", "SET BY", "SAYS"), rows)
    if found.diagnostics:
        return style.table(
            ("CODE", "LEVEL", "NAME", "WHY"), [(one.code, one.level, one.name, one.why) for one in found.diagnostics]
        )
    if found.reasons:
        reasons = [(one.code, one.about, one.title, one.hint) for one in found.reasons]
        return style.table(("REASON", "ABOUT", "SAYS", "DO"), reasons)
    errors = [(error.code, str(error.exit), error.title) for error in found.errors]
    return style.table(("ERROR", "EXIT", "SAYS"), errors)


def entry_lines(found: Catalogue, style: Style) -> Iterator[str]:
    """Each entry in full."""
    for rule in found.rules:
        yield from _rule(rule, style)
    for one in found.diagnostics:
        yield from _diagnostic(one, style)
    for error in found.errors:
        yield from _error(error)
    for reason in found.reasons:
        yield f"{reason.code}  about: {reason.about}"
        yield f"{reason.title}."
        yield f"hint: {reason.hint}"


def _rule(rule: RuleOutput, style: Style) -> Iterator[str]:
    word = style.marked(MARKS[rule.in_force], rule.in_force) if rule.in_force else "off"
    yield f"{rule.id}  {word}  (default {rule.severity}; set by: {rule.set_by})"
    yield f"{rule.title}."
    yield ""
    yield from rule.explanation.splitlines()
    yield ""
    yield f"mirror: {rule.mirror} · tags: {', '.join(rule.tags)}"


def _diagnostic(one: DiagnosticOutput, style: Style) -> Iterator[str]:
    yield f"{one.code}  {style.marked(MARKS[one.level], one.level)}  {one.name}"
    yield f"example: {one.example}"
    yield f"why:     {one.why}"
    if one.hint:
        yield f"hint:    {one.example_hint}"


def _error(error: ErrorCodeOutput) -> Iterator[str]:
    yield f"{error.code}  exit {error.exit}"
    yield f"{error.title}."
