"""What the agent asks for to be let in changed; the workflow can still meet it.

Another set of alternatives, scopes, or another definition of a scheme under the same name. Tokens may have to be
asked for otherwise, and an old way in may stop working soon.

Do: let the probes run with the workflow's credentials; pin again when they hold.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access_changes import changed_definitions, changed_levels
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Levels, schemes in play and the unreadable 0.1 block, where they differ and are no mere relaxation or addition."""
    for level, before, after in changed_levels(view, "changed"):
        yield Noticed(level.subject, "other ways in than when pinned", level.member, level.needs, before, after)
    for name, old, new in changed_definitions(view):
        subject = f"securitySchemes[{name}]"
        yield Noticed(subject, f"scheme {name} is defined otherwise", f"schemes.{name}", before=old, after=new)
    yield from _legacy(view)


def _legacy(view: View) -> Iterator[Noticed]:
    """The 0.1 `authentication` block that cannot be lifted, compared as it is."""
    now, old = view.observed.identity, view.baseline.identity
    if now is not None and old is not None and now.legacy_security != old.legacy_security:
        message = "the authentication block changed and cannot be judged mechanically"
        yield Noticed("authentication", message, before=old.legacy_security or None, after=now.legacy_security or None)


RULE = Rule("security-changed", "review", check, __doc__, mirror="security-relaxed", rests_on="profile")
