"""How the agent's own version moved since the lock was pinned."""

from typing import Literal

from cardtrail.services.verdict.versions import is_patch, went_down
from cardtrail.services.verdict.view import View

Movement = Literal["none", "patched", "regressed", "changed"]


def movement(view: View) -> Movement:
    """Exactly one of the four; a patch counts as one only while the profile is the pinned one."""
    before, identity = view.pinned_version, view.observed.identity
    if before is None or identity is None or before == identity.version:
        return "none"
    if went_down(before, identity.version):
        return "regressed"
    return "patched" if is_patch(before, identity.version) and view.same_profile else "changed"
