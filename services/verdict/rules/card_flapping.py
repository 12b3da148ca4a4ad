"""Two or more cards alternate, and none has been seen three times in a row since.

A rollout, a canary, or two deployments behind one name: which one a call meets is chance. It begins with the second
return to an earlier card within four changes, counted in looks and never in time. The worst of the alternating
verdicts stands until the same card has been seen three times in a row, `cardtrail refresh` included.

Do: ask the provider to finish or to stop the rollout.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Flapping, as counted in observations by the caller."""
    if view.observed.flapping:
        yield Noticed("card", "different cards alternate from one look to the next", after="alternating")


RULE = Rule(
    "card-flapping",
    "review",
    check,
    __doc__,
    mirror="several equal observations are the recovery, which the decision tells",
)
