"""A verification for people: a line a signature, the checks done, and what it means."""

from collections.abc import Iterator

from cardtrail.services.card.canonical_forms import SECURITY_MEMBERS
from cardtrail.services.card.verification import SignatureResult, Verification
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain

_MARKS: dict[str, Level] = {"verified": "ok", "invalid": "error", "unverifiable": "unknown", "absent": "note"}
_WORD = 14
_MEANS = {
    "verified": "verified by {good} of {all}: it says who wrote the card, not that it is true.",
    "invalid": "invalid: none of {all} verifies; the card is not what was signed, or not by this key.",
    "unverifiable": "unverifiable: none of {all} can be judged with the keys held.",
    "absent": "absent: the card is not signed.",
}


def lines(found: Verification, style: Style) -> Iterator[str]:
    """Signatures in the card's order, problems of the key set, checks, outcome."""
    for result in found.signatures:
        yield signature(result, style)
        if result.hint and result.outcome != "verified":
            yield f"{' ' * _WORD}  hint: {plain(result.hint)}"
        yield from (f"{' ' * _WORD}  not covered: {told}" for told in _uncovered(result.uncovered))
    yield from (f"! {plain(problem)}" for problem in found.problems)
    if found.checked:
        yield f"checked: {' · '.join(plain(check) for check in found.checked)}"
    good = sum(result.outcome == "verified" for result in found.signatures)
    yield _MEANS[found.outcome].format(good=good, all=len(found.signatures))


def _uncovered(paths: tuple[str, ...]) -> Iterator[str]:
    """Of the security members it is empty values alone that a form leaves out; of any other path, what is there."""
    empty = [path for path in paths if path in SECURITY_MEMBERS]
    others = [plain(path) for path in paths if path not in SECURITY_MEMBERS]
    if others:
        yield ", ".join(others[:5])
    if empty:
        yield f"empty values in {', '.join(empty)}: an anonymous or mTLS alternative could be added or taken away"


def signature(result: SignatureResult, style: Style) -> str:
    """Outcome, key, algorithm, form or the reason against it."""
    also = f" (fits as {plain(', '.join(result.forms[1:]))} too)" if result.forms[1:] else ""
    what = f"form {plain(result.form)}{also}" if result.form else plain(result.detail or result.reason, 500)
    kid = f"kid {plain(result.kid)}" if result.kid else "no kid"
    word = style.marked(_MARKS[result.outcome], result.outcome, _WORD)
    return "  ".join((word, kid, plain(result.alg or "no alg"), what))
