"""From a judgement to the section of a report: each finding with the place a reader of the repository can go to."""

from collections.abc import Callable
from typing import Any

from cardtrail.events.errors import CardtrailError, InputRefused
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.profile import Profile
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.cli.catalogue.rules import LEVELS
from cardtrail.services.cli.formats.place import spanned
from cardtrail.services.cli.formats.report import Place, Remark
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.failure import envelope
from cardtrail.services.verdict.rules import RULES, RULES_VERSION
from cardtrail.services.verdict.view import Judgement

Locate = Callable[[Finding], Place]


def remarks(judgement: Judgement, card: OpenedCard, locate: Locate) -> tuple[Remark, ...]:
    """The findings, each at its place; where the card is a file, its own line is related."""
    return tuple(_remark(finding, locate(finding), card_place(card, finding)) for finding in judgement.findings)


def card_place(card: OpenedCard, finding: Finding) -> Place | None:
    """Where the member stands in the card, None where it is gone or the card has no file."""
    document = card.reading.document
    if not finding.path or document is None or card.given.location:
        return None
    return spanned(card.given.file, document.text, *document.place(finding.path))


def applied(judgement: Judgement) -> tuple[str, ...]:
    """The rules that looked."""
    return tuple(rule for rule in RULES if rule not in judgement.unjudged)


def unreadable(card: OpenedCard) -> InputRefused | None:
    """A new card that cannot be used, or is not what was signed: the verdict is review, and the run exits with 3."""
    if card.reading.card is not None and not card.is_forged:
        return None
    why = card.refusal()
    return InputRefused(
        "signature-invalid" if card.is_forged else "card-unreadable",
        why.message if card.is_forged else f"{why.message}; verdict review",
        hint=why.hint,
        file=why.file,
        line=why.line,
        column=why.column,
        path=why.path,
    )


def output(
    judgement: Judgement, card: OpenedCard, profile: Profile | None, failure: CardtrailError | None
) -> dict[str, Any]:
    """The members that `check` and `diff` share."""
    held = card.reading.card
    return {
        "verdict": judgement.verdict,
        "findings": judgement.findings,
        "card": card.given.name,
        "agent_version": held.version if held else "",
        "card_digest": card.digest,
        "profile_digest": profile_digest(profile) if profile else "",
        "action": judgement.action,
        "degraded": judgement.degraded,
        "not_judged": judgement.unjudged,
        "rules_version": RULES_VERSION,
        "compiler_version": COMPILER_VERSION,
        "error": envelope(failure) if failure else None,
    }


def _remark(finding: Finding, place: Place, related: Place | None) -> Remark:
    return Remark(
        finding.rule,
        LEVELS[finding.severity],
        finding.severity,
        finding.subject,
        finding.message,
        place,
        path=finding.path,
        needs=finding.needs,
        before=finding.before,
        after=finding.after,
        hint=finding.hint,
        fingerprint=finding.fingerprint,
        related=related,
    )
