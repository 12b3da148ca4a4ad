"""Prose changed: descriptions, examples, skill names, links.

Text never enters the profile, so no call is touched. A counter in a description changes a card with every deploy.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The digest over all prose, while the card has the same parts."""
    old, now = view.baseline.texts_digest, view.observed.texts_digest
    if old and now and old != now and _same_parts(view):
        yield Noticed("texts", "descriptive text changed", before=old, after=now)


def _same_parts(view: View) -> bool:
    """Whether no skill or extension came or went: each brings or takes its own text, which is no news beside it."""
    before, after = view.before, view.observed.profile
    if before is None or after is None:
        return True
    uris = ({one.uri for one in profile.extensions} for profile in (before, after))
    return before.skills.keys() == after.skills.keys() and next(uris) == next(uris)


RULE = Rule("card-text-changed", "note", check, __doc__, "same rule in both directions: text has no opposite", "texts")
