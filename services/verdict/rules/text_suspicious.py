"""The card's text hides characters that a reader does not see.

Invisible, bidirectional or control characters make a text look harmless to a person and say something else to a
program or a model.

Do: read the text with its escapes shown (`cardtrail lint`), and show it to no model before that.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.texts import grown
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Kinds of text findings that are more than when the lock was pinned."""
    for kind, before, after, path in grown(view, ("bidi", "control", "invisible")):
        yield Noticed(f"texts[{kind}]", f"{kind} characters in the card's text", path=path, before=before, after=after)


RULE = Rule(
    "text-suspicious",
    "review",
    check,
    __doc__,
    "text that stops hiding something is no change for the lock",
    "identity",
)
