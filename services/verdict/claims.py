"""Which claims of a card a lock depends on, as evidence names them, and what is known to speak against them.

Kinds: `streaming`, `push`, `extended-card`, `extension` (value = URI), `input-mode` and `output-mode` (skill, value = media
type); of every agent `version` (value = binding and version), `security` (value = `anonymous` or `required`) and
`required-extensions`.
"""

from datetime import datetime, timedelta

from cardtrail.events.model.evidence import Claim, Evidence
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.verdict.modes import essence
from cardtrail.services.verdict.view import ContradictingCalls, View

_FLAG_CLAIMS = {"streaming": "streaming", "push": "push", "extended_card": "extended-card"}


def needed_claims(lock: Lockfile) -> tuple[Claim, ...]:
    """Every claim the lock depends on, in a fixed order."""
    needs = lock.requires
    flags = [Claim(kind=kind) for flag, kind in _FLAG_CLAIMS.items() if getattr(needs, flag)]
    extensions = [Claim(kind="extension", value=uri) for uri in sorted(needs.extensions)]
    modes = [
        Claim(kind=kind, skill=skill, value=essence(mode))
        for skill, need in sorted(needs.skills.items())
        for kind, wanted in (("input-mode", need.input), ("output-mode", need.output))
        for mode in wanted
    ]
    return tuple(dict.fromkeys((*flags, *extensions, *modes)))


def relied_on(view: View) -> tuple[Claim, ...]:
    """What no call of any workflow can do without, beside what the lock needs: that the agent answers as its card says.

    `version` of the chosen interface, `required-extensions` that are all declared, `security` where no credential is asked for.
    """
    profile = view.after
    if profile is None or profile.interface is None:
        return needed_claims(view.lock)
    chosen = profile.interface
    always = [Claim(kind="version", value=f"{chosen.binding} {chosen.version}"), Claim(kind="required-extensions")]
    if not profile.security or any(not way.schemes for way in profile.security):
        always.append(Claim(kind="security", value="anonymous"))
    return (*needed_claims(view.lock), *always)


def same_claim(one: Claim, other: Claim) -> bool:
    """Whether two claims are one: media types compare by essence, a claim without a skill speaks for every skill."""
    if one.kind != other.kind or (one.skill and other.skill and one.skill != other.skill):
        return False
    return one.value is None or other.value is None or essence(one.value) == essence(other.value)


def named(claim: Claim) -> str:
    """The claim in one word for a person and a fingerprint: `skills[quote] input-mode text/plain`."""
    return " ".join(
        part for part in (f"skills[{claim.skill}]" if claim.skill else "", claim.kind, claim.value or "") if part
    )


def spoken_against(view: View, claim: Claim) -> Evidence | ContradictingCalls | None:
    """What contradicts the claim: a probe, or enough real calls; a single report is not enough."""
    for evidence in view.observed.evidence:
        if evidence.source == "probe" and evidence.outcome == "contradicted" and same_claim(evidence.claim, claim):
            return evidence
    for calls in view.observed.runtime:
        if not calls.confirmed and same_claim(_claim(calls), claim) and _enough(view, calls):
            return calls
    return None


def degraded_operations(view: View) -> tuple[str, ...]:
    """Operations to avoid: flag claims that anything speaks against, needed or not, be it one report."""
    against = [one.claim for one in view.observed.evidence if one.outcome == "contradicted"]
    against += [_claim(calls) for calls in view.observed.runtime if calls.contradicting and not calls.confirmed]
    return tuple(sorted({claim.kind for claim in against if claim.kind in _FLAG_CLAIMS.values()}))


def age_limit(view: View) -> int:
    """The longest age of evidence in seconds, by lock, else by policy; 0 = evidence is not demanded."""
    own = view.lock.evidence_max_age_s
    return view.policy.evidence_max_age_s if own is None else own


def verified_at(view: View, claim: Claim) -> datetime | None:
    """When the claim was last seen to hold, None if never."""
    held = [one for one in view.observed.evidence if one.outcome == "held" and same_claim(one.claim, claim)]
    return max((datetime.fromisoformat(one.at) for one in held), default=None)


def is_stale(view: View, at: datetime) -> bool:
    """Whether evidence of that instant is too old for the lock."""
    return view.now - at > timedelta(seconds=age_limit(view))


def _claim(calls: ContradictingCalls) -> Claim:
    return Claim(kind=calls.claim_kind, skill=calls.skill, value=calls.value)


def _enough(view: View, calls: ContradictingCalls) -> bool:
    return calls.contradicting >= view.policy.contradicting_calls and calls.calls >= view.policy.contradicting_of
