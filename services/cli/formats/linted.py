"""From read cards to the report of `lint`."""

from collections.abc import Sequence
from typing import Literal

from cardtrail.events.model.card import Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.catalogue import DIAGNOSTICS, Rule
from cardtrail.services.cli.formats.place import spanned
from cardtrail.services.cli.formats.report import Level, Place, Remark, Report, RuleDoc, Section
from cardtrail.services.cli.outputs.error import ErrorBody
from cardtrail.services.cli.outputs.lint import LintedCard
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.failure import envelope
from cardtrail.services.cli.shell.options import Printing
from cardtrail.services.cli.shell.release import release
from cardtrail.services.fetcher.findings import FETCH_FINDINGS

_ALL = DIAGNOSTICS | FETCH_FINDINGS
LEVELS: dict[str, Level] = {"error": "error", "warning": "warning", "info": "note"}


def report(cards: Sequence[OpenedCard], printing: Printing) -> Report:
    """All diagnostics of all cards; a card that cannot be used is a section with its refusal."""
    return Report(
        "lint",
        tuple(_section(card) for card in cards),
        rules={code: rule_doc(rule) for code, rule in _ALL.items()},
        gate=LEVELS[printing.fail_on or "error"],
        shown=LEVELS[printing.level],
        release=release(),
    )


def rule_doc(rule: Rule) -> RuleDoc:
    """A diagnostic's documentation; its name is its title, its sentence names a place and cannot stand alone."""
    title = rule.name.replace("-", " ")
    return RuleDoc(rule.code, LEVELS[rule.level], rule.level, title, rule.why, (rule.level, rule.name.split("-")[0]))


def _section(card: OpenedCard) -> Section:
    reading, name = card.reading, card.given.name
    found = (*card.given.odd, *reading.diagnostics)
    failure = card.refusal() if reading.card is None else None
    text = reading.document.text if reading.document else ""
    shape: Shape | Literal["unknown"] = "unknown" if card.absent else reading.shape
    output = LintedCard(
        shape=shape,
        findings=found,
        card=name,
        usable=failure is None,
        error=ErrorBody.model_validate(envelope(failure)) if failure else None,
    )
    return Section(
        name,
        shape,
        output.model_dump(mode="json"),
        tuple(remark(one, card.given.file, text) for one in found),
        applied=tuple(_ALL),
        file=card.given.file,
        source=text,
        failure=failure,
    )


def remark(one: Diagnostic, file: str, text: str) -> Remark:
    """A diagnostic at its place in a card's text."""
    place = spanned(file, text, one.line, one.column) if one.line else Place(file)
    return Remark(
        one.code,
        LEVELS[one.level],
        one.level,
        subject=f"{one.name} {one.path}",
        message=one.message,
        place=place,
        path=one.path,
        hint=one.hint,
    )
