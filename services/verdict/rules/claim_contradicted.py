"""A probe or enough real calls showed that a claim the workflow needs is false.

The card still says it; the agent does not do it. That the agent answers in the version that its card states, asks for no
extension that it does not declare, and for no credential where it declares none, every workflow needs. Only a probe
that holds clears this.

Do: tell the provider, with the evidence; use a fallback until a probe holds.
"""

from collections.abc import Iterator

from cardtrail.events.model.evidence import Evidence
from cardtrail.services.verdict.claims import named, relied_on, spoken_against
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import ContradictingCalls, View


def check(view: View) -> Iterator[Noticed]:
    """Each claim that the workflow relies on, with what speaks against it."""
    if view.after is None:
        return
    for claim in relied_on(view):
        against = spoken_against(view, claim)
        if against is None:
            continue
        subject = named(claim)
        message, facts = _told(against)
        yield Noticed(subject, f"{subject}: {message}", before="claimed", after="contradicted", evidence=facts)


def _told(against: Evidence | ContradictingCalls) -> tuple[str, tuple[str, ...]]:
    if isinstance(against, Evidence):
        facts = (against.fact,) if against.fact else ()
        return f"a probe contradicted it: {against.reason or against.outcome}", facts
    return f"{against.contradicting} of {against.calls} real calls contradicted it", ()


RULE = Rule("claim-contradicted", "breaking", check, __doc__, mirror="claim-unverified")
