"""A security scheme has another name and is otherwise what it was.

Calls carry credentials, not names of schemes: what opened the agent opens it as before.

Do: nothing, unless a client looks its credentials up by the scheme's name, as the SDKs can: give them the new name
there and in the lock.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access import levels
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per scheme that some level asks for and that only its name tells from one that is gone."""
    asked = {name for level in levels(view) for one in level.after for name in one.schemes}
    for name, old in sorted(view.renamed_schemes.items()):
        if name not in asked:
            continue
        yield Noticed(
            f"securitySchemes[{old}]", f"scheme {old} is called {name} now", f"schemes.{name}", before=old, after=name
        )


RULE = Rule(
    "security-scheme-renamed",
    "note",
    check,
    __doc__,
    mirror="same rule: the way back is a new name, too",
    rests_on="profile",
)
