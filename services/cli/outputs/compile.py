"""`cardtrail compile --json`."""

from typing import Literal

from cardtrail.events.model.profile import Profile
from cardtrail.events.model.value import Value


class CompileOutput(Profile):
    """`cardtrail compile CARD --json`: the effective profile, with its digest and what compiled it."""

    format: Literal["cardtrail.compile/1"]
    card: str
    profile_digest: str
    compiler_version: str


OUTPUTS: tuple[type[Value], ...] = (CompileOutput,)
