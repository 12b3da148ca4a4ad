"""A token, authorization or discovery URL of a scheme in use points to another host.

That is where client secrets and user consent go. A credential goes only to the host it was issued for, so whoever
controls the new host must not be believed because a card says so.

Do: have the provider confirm the host over another channel; then add it to the credential's hosts in the lock.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access_changes import hosts, in_play, new_hosts
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per scheme in play, hosts behind its URLs that neither baseline nor lock knows."""
    for name, (old, new) in in_play(view).items():
        strange = new_hosts(view, name, old, new)
        if strange:
            message = f"scheme {name} now sends credentials to {', '.join(strange)}"
            subject, member = f"securitySchemes[{name}].urls", f"schemes.{name}"
            yield Noticed(subject, message, member, before=hosts(old.urls.values()), after=hosts(new.urls.values()))


RULE = Rule(
    "credential-host-changed",
    "review",
    check,
    __doc__,
    "same rule in both directions: a move has no opposite",
    "profile",
)
