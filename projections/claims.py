"""What a profile says about one claim, so that evidence counts only while the claim it tested stands unchanged."""

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Profile

_FLAGS = {"streaming": "streaming", "push": "push", "extended-card": "extended_card"}


def claimed(profile: Profile, claim: Claim) -> object:
    """What the profile says about this claim, as something to compare.

    A claim of a kind not known here is compared by everything the profile says of its skill, or of the agent.
    """
    if claim.kind in _FLAGS:
        return getattr(profile, _FLAGS[claim.kind])
    skill = profile.skills.get(claim.skill) if claim.skill else None
    if claim.kind in {"input-mode", "output-mode"}:
        modes = () if skill is None else skill.input if claim.kind == "input-mode" else skill.output
        return claim.value in modes
    if claim.kind == "extension":
        return next((extension for extension in profile.extensions if extension.uri == claim.value), None)
    if claim.kind == "security":
        return profile.security, profile.schemes, skill.security if skill else None
    if claim.kind in {"interface", "binding", "version"}:
        return profile.interface
    return skill if claim.skill else profile.model_copy(update={"provenance": {}, "shape": "1.0"})
