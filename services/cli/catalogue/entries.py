"""Rules, diagnostics, error codes and reasons as one catalogue that can be searched."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cardtrail.events.errors import UsageError
from cardtrail.services.card.catalogue import DIAGNOSTICS, Rule
from cardtrail.services.card.signature_reasons import REASONS as SIGNATURE_REASONS
from cardtrail.services.card.unusable import UNUSABLE
from cardtrail.services.cli.catalogue.error_codes import ERRORS
from cardtrail.services.cli.catalogue.examples import example
from cardtrail.services.cli.catalogue.reasons import REASONS
from cardtrail.services.cli.catalogue.rules import InForce, rules_in_force, tags
from cardtrail.services.cli.outputs.rules import (
    DiagnosticOutput,
    ErrorCodeOutput,
    ReasonOutput,
    RuleOutput,
    RulesOutput,
)
from cardtrail.services.cli.shell.locks import open_lock
from cardtrail.services.cli.shell.near import near
from cardtrail.services.cli.shell.policy import policy_in_force
from cardtrail.services.fetcher.findings import FETCH_FINDINGS
from cardtrail.services.verdict.lock_catalogue import DOUBTS


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Entries of four kinds."""

    rules: tuple[RuleOutput, ...] = ()
    diagnostics: tuple[DiagnosticOutput, ...] = ()
    errors: tuple[ErrorCodeOutput, ...] = ()
    reasons: tuple[ReasonOutput, ...] = ()

    def ids(self) -> Iterator[str]:
        """Every name an entry can be asked for by."""
        yield from (rule.id for rule in self.rules)
        yield from (diagnostic.code for diagnostic in self.diagnostics)
        yield from (error.code for error in self.errors)
        yield from (reason.code for reason in self.reasons)

    def named(self, ids: Sequence[str]) -> "Catalogue":
        """The entries of these names; a diagnostic answers to its number and its name.

        Raises:
            UsageError: `rule-unknown`.
        """
        known = {*self.ids(), *(diagnostic.name for diagnostic in self.diagnostics)}
        for id_ in ids:
            if id_ not in known:
                raise UsageError(
                    "rule-unknown", f'"{id_}" is no rule, diagnostic, error code or reason', hint=near(id_, known)
                )
        return self._only(lambda *names: not set(ids).isdisjoint(names))

    def chosen(self, words: Sequence[str], *, diagnostics: bool, errors: bool, reasons: bool) -> "Catalogue":
        """The kinds asked for (rules where none is); `words` are tags that a rule must all have.

        Raises:
            UsageError: `tag-unknown`.
        """
        known = {tag for rule in self.rules for tag in rule.tags}
        for word in words:
            if word not in known:
                raise UsageError("tag-unknown", f'"{word}" is no tag', hint=near(word, known))
        rules = tuple(rule for rule in self.rules if set(words) <= set(rule.tags))
        return Catalogue(
            () if diagnostics or errors or reasons else rules,
            self.diagnostics if diagnostics else (),
            self.errors if errors else (),
            self.reasons if reasons else (),
        )

    def parts(self) -> Iterator["Catalogue"]:
        """The kinds that there are entries of, each alone."""
        alone = (
            Catalogue(rules=self.rules),
            Catalogue(diagnostics=self.diagnostics),
            Catalogue(errors=self.errors),
            Catalogue(reasons=self.reasons),
        )
        yield from (part for part in alone if next(part.ids(), None) is not None)

    def output(self) -> RulesOutput:
        """In the published shape."""
        return RulesOutput(
            format="cardtrail.rules/1",
            rules=self.rules,
            diagnostics=self.diagnostics,
            errors=self.errors,
            reasons=self.reasons,
        )

    def _only(self, wanted: Callable[..., bool]) -> "Catalogue":
        return Catalogue(
            tuple(rule for rule in self.rules if wanted(rule.id)),
            tuple(one for one in self.diagnostics if wanted(one.code, one.name)),
            tuple(error for error in self.errors if wanted(error.code)),
            tuple(reason for reason in self.reasons if wanted(reason.code)),
        )


def catalogue(lock: str | None = None, config: Path | None = None) -> Catalogue:
    """All entries; severities as they are in force under the policy, and under a lock where one is named."""
    held = open_lock(lock).lockfile if lock else None
    return Catalogue(
        tuple(_rule(one) for one in rules_in_force(held, policy_in_force(config))),
        tuple(_diagnostic(one) for one in (DIAGNOSTICS | FETCH_FINDINGS | DOUBTS).values()),
        tuple(ErrorCodeOutput(code=code, exit=exit_, title=title) for code, (exit_, title) in sorted(ERRORS.items())),
        tuple(_reasons()),
    )


def _reasons() -> Iterator[ReasonOutput]:
    for code, why in UNUSABLE.items():
        yield ReasonOutput(code=code, about="profile", title=why.says, hint=why.hint)
    for about, codes in REASONS.items():
        for code, why in codes.items():
            yield ReasonOutput(code=code, about=about, title=why.says, hint=why.hint)
    for code, reason in SIGNATURE_REASONS.items():
        title = f"The signature is {reason.outcome}: {code.replace('-', ' ')}"
        yield ReasonOutput(code=code, about="signature", title=title, hint=reason.hint)


def _diagnostic(one: Rule) -> DiagnosticOutput:
    sentence, advice = example(one)
    return DiagnosticOutput(
        code=one.code,
        name=one.name,
        level=one.level,
        says=one.says,
        hint=one.hint,
        why=one.why,
        example=sentence,
        example_hint=advice,
    )


def _rule(one: InForce) -> RuleOutput:
    rule = one.rule
    return RuleOutput(
        id=rule.id,
        severity=rule.severity,
        in_force=one.severity,
        set_by=one.set_by,
        title=rule.title,
        explanation=rule.explanation,
        mirror=rule.mirror,
        tags=tags(rule),
    )
