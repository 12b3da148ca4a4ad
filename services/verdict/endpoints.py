"""Where an endpoint lies and whether the workflow may call it: the outbound door's judgement under lock and policy.

A gRPC target (`host:port`, `grpc://`, `dns:///`) and a WebSocket URL are judged as the https or http URL of the same place.
"""

import re
from typing import Literal

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.profile import Interface
from cardtrail.services.card.endpoint import as_http, normal_url
from cardtrail.services.outbound.address import JudgedUrl, host_matches, judge_url
from cardtrail.services.verdict.site import same_site
from cardtrail.services.verdict.view import View

ANYWHERE = EndpointPolicy(cidrs=("0.0.0.0/0", "::/0"), cleartext=True)
"""Judges spelling alone: only what can be called nowhere is refused."""

_EXPRESS = frozenset({"host-not-allowed", "cross-origin"})


def place(url: str, policy: EndpointPolicy = ANYWHERE, binding: str = "") -> JudgedUrl:
    """The URL judged under the policy, as its binding calls it; its canonical form where only policy could speak against it."""
    return judge_url(as_http(url, binding), policy)


def same_place(one: str, other: str) -> bool:
    """Whether two URLs are one but for their spelling (case of the host, default port, empty path, `host:port` for gRPC)."""
    return normal_url(as_http(one)) == normal_url(as_http(other))


def refusals(url: str, binding: str, view: View) -> frozenset[str]:
    """Why the workflow may not call the URL by this binding (kebab-case reasons); empty where it may."""
    policy = view.policy.endpoints
    allowed = (*policy.allowed_hosts, *view.lock.allowed_hosts)
    reasons = {place(url, policy.model_copy(update={"allowed_hosts": allowed, "cleartext": True}), binding).reason}
    judged = place(url, binding=binding)
    if judged.host and not judged.reason:
        if judged.scheme == "http" and not policy.cleartext:
            reasons.add("cleartext")
        named = (names for names in (policy.allowed_hosts, view.lock.allowed_hosts) if names)
        if not all(host_matches(judged.host, names) for names in named):
            reasons.add("host-not-allowed")
        if policy.same_origin_only and not _same_origin(judged, view.home):
            reasons.add("cross-origin")
    return frozenset(reasons - {""})


def excused(view: View) -> frozenset[str] | None:
    """The refusals that already held where the lock started, None where nothing is known of that.

    That is its pinned URL, else the place its card comes from. What lock or policy name expressly is never excused.
    """
    if view.pinned_url is not None:
        return refusals(view.pinned_url, view.lock.interface.binding, view) - _EXPRESS
    return None if view.home is None else refusals(view.home, "", view) - _EXPRESS


def forbidden(interface: Interface, view: View) -> list[str]:
    """Why the endpoint may not be called although nothing of the kind stood there when the lock was pinned; sorted."""
    pardoned = excused(view)
    found = refusals(interface.url, interface.binding, view)
    return sorted(found & _EXPRESS if pardoned is None else found - pardoned)


def moved(view: View) -> tuple[JudgedUrl, JudgedUrl] | None:
    """Where the chosen endpoint was and is now, when these differ and the new one may be called."""
    if view.after is None or view.after.interface is None or view.pinned_url is None:
        return None
    old, new = view.pinned_url, view.after.interface.url
    if same_place(old, new) or forbidden(view.after.interface, view):
        return None
    return place(old), place(new)


def distance(old: JudgedUrl, new: JudgedUrl) -> Literal["path", "origin", "site"]:
    """How far a move went: the same origin, another origin of the same site, another site."""
    one, other = _origin(old), _origin(new)
    if one == other:
        return "path"
    return "origin" if same_site(one[1], other[1]) else "site"


def _origin(judged: JudgedUrl) -> tuple[str, str, str]:
    """Scheme, host and port; of a URL that no web client calls (`amqps://`, a name without a scheme), as they are written."""
    if judged.host:
        return judged.scheme, judged.host, str(judged.port)
    scheme, mark, rest = judged.url.rpartition("://")
    authority = re.split(r"[/?#]", rest.lower(), maxsplit=1)[0]
    host, _, port = authority.rpartition("@")[2].partition(":")
    return scheme.lower() if mark else "", host, port


def _same_origin(judged: JudgedUrl, home: str | None) -> bool:
    return home is None or place(home).origin == judged.origin
