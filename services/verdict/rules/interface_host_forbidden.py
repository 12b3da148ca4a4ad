"""The endpoint moved to a place that this workflow may not call.

It is a loopback, private, metadata or otherwise unusable address, cleartext where the pinned endpoint was
encrypted, or a host outside the list that the lock or the source allows. Calls would leave the network they belong
to, or reach somebody else's service.

Do: treat it as a faulty deployment or an attack until the provider explains it. Where it is wanted, allow the host
in the lock or source.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.endpoints import forbidden
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The chosen endpoint, and under same-origin policy every one, when it may not be called and that is new."""
    if view.after is None:
        return
    chosen = view.after.interface
    listed = view.after.interfaces if view.policy.endpoints.same_origin_only else ()
    for interface in dict.fromkeys((*((chosen,) if chosen else ()), *listed)):
        reasons = forbidden(interface, view)
        if reasons:
            message = f"{interface.url} may not be called: {', '.join(reasons)}"
            before = view.pinned_url if interface == chosen else None
            yield Noticed(
                "interface.url",
                message,
                "interface.url",
                before=before,
                after=interface.url,
                hint=_HINT.get(reasons[0], ""),
            )


_HINT = {
    "loopback": "a development setting left in the card",
    "cleartext": "a proxy that ends TLS and does not tell the agent",
    "scheme": "no client calls this binding by such a URL",
    "host-not-allowed": "add the host to allowed_hosts if the move is wanted",
}

RULE = Rule(
    "interface-host-forbidden", "breaking", check, __doc__, "a defect that goes is no change for the lock", "place"
)
