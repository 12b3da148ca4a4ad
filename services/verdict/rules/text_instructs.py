"""The card's text speaks to the model that reads it.

Phrases such as orders to ignore other instructions have no business in a description. The profile never reads text,
but a planner's model might.

Do: keep this agent's prose away from models.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.texts import grown
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Kinds of text findings that are more than when the lock was pinned."""
    for kind, before, after, path in grown(view, ("instructs",)):
        yield Noticed(
            f"texts[{kind}]", "text in the card addresses the reading model", path=path, before=before, after=after
        )


RULE = Rule(
    "text-instructs", "note", check, __doc__, "text that stops hiding something is no change for the lock", "identity"
)
