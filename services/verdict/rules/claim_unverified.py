"""A claim that the workflow needs has no evidence, or only evidence that is too old.

Lock or policy demand that claims are tested. Nobody has shown that this one is false, but nobody has shown lately
that it is true.

Do: agree on a safety contract so that it can be probed, or lower the demand.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.claims import age_limit, is_stale, named, needed_claims, spoken_against, verified_at
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each needed claim without held evidence that is young enough, where evidence is demanded."""
    if view.after is None or age_limit(view) <= 0:
        return
    for claim in needed_claims(view.lock):
        at = verified_at(view, claim)
        if (at is None or is_stale(view, at)) and spoken_against(view, claim) is None:
            subject, standing = named(claim), "claimed" if at is None else "stale"
            message = f"{subject}: {'never verified' if at is None else 'last verified ' + at.isoformat()}"
            yield Noticed(subject, message, needs=age_limit(view), after=standing, cause="time")


RULE = Rule("claim-unverified", "review", check, __doc__, mirror="claim-contradicted")
