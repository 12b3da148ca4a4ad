"""From two cards to the report of `diff`."""

from dataclasses import replace

from cardtrail.events.model.finding import Diagnostic, Finding
from cardtrail.events.model.policy import Policy
from cardtrail.services.card.catalogue import DIAGNOSTICS
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.news import new_diagnostics
from cardtrail.services.cli.catalogue.rules import LEVELS, rule_docs
from cardtrail.services.cli.formats.judged import applied, card_place, output, remarks, unreadable
from cardtrail.services.cli.formats.linted import remark, rule_doc
from cardtrail.services.cli.formats.report import Place, Remark, Report, Section
from cardtrail.services.cli.outputs.diff import DiffOutput
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.options import Printing
from cardtrail.services.cli.shell.release import release
from cardtrail.services.verdict.diff import client_of, diff
from cardtrail.services.verdict.structure import compare


def compared(old: OpenedCard, new: OpenedCard, policy: Policy, printing: Printing) -> Report:
    """Judge the new card.

    Raises:
        InputRefused: the old card cannot be read.
    """
    return Report(
        "diff",
        (_section(old, new, policy),),
        rules=rule_docs() | {code: rule_doc(rule) for code, rule in DIAGNOSTICS.items()},
        gate=LEVELS[printing.fail_on or "breaking"],
        shown=LEVELS[printing.level],
        release=release(),
    )


def _section(old: OpenedCard, new: OpenedCard, policy: Policy) -> Section:
    before = old.usable()
    with old.blamed():
        judgement = diff(old.reading, new.reading, policy)
    failure = unreadable(new)
    profile = compile_profile(new.reading.card, client_of(before)) if new.reading.card else None
    silent = compare(old.reading, new.reading).not_counted
    news = new_diagnostics(old.reading, new.reading)
    whole = DiffOutput(
        format="cardtrail.diff/1",
        **output(judgement, new, profile, failure),
        workflow="",
        agent=before.name,
        principal="public",
        old=old.given.name,
        not_counted=silent,
        lint=news,
    )
    return Section(
        new.given.name,
        judgement.verdict,
        whole.model_dump(mode="json"),
        remarks(judgement, new, lambda finding: _place(old, new, finding)),
        applied(judgement),
        agent=before.name,
        version=whole.agent_version,
        digest=new.digest,
        file=_file(old, new),
        silent=silent,
        failure=failure,
        beside=tuple(_beside(one, new) for one in news if one.level != "info"),
    )


def _beside(one: Diagnostic, new: OpenedCard) -> Remark:
    """In the words of `lint`, on the level that enters no verdict."""
    text = new.reading.document.text if new.reading.document else ""
    return replace(remark(one, new.given.file, text), level="note", severity=f"lint {one.level}")


def _place(old: OpenedCard, new: OpenedCard, finding: Finding) -> Place:
    """Where it stands in the new card, else the file alone: what is gone has no line there."""
    return card_place(new, finding) or Place(_file(old, new))


def _file(old: OpenedCard, new: OpenedCard) -> str:
    """The one that a repository may hold."""
    return old.given.file if new.given.location else new.given.file
