"""From a call to the request that leaves, and from a redirect to the next target: what is sent, and to whom it may be sent."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urldefrag, urlencode, urljoin

import httpcore

from cardtrail.services.outbound.address import JudgedUrl, host_matches, judge_url
from cardtrail.services.outbound.body import ACCEPT_ENCODING
from cardtrail.services.outbound.call import Attachment, Call, Refused, Send
from cardtrail.services.outbound.echo import Echo

USER_AGENT = "cardtrail"
_OURS = frozenset(
    (
        *("host", "authorization", "cookie", "proxy-authorization", "connection", "content-length"),
        *("transfer-encoding", "accept-encoding", "te", "upgrade", "expect"),
    )
)
_PATH_SAFE = "%/:?@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True)
class Hop:
    """One stop of a call: the judged target and how many hops led here."""

    target: JudgedUrl
    earlier: tuple[str, ...] = ()


def first_hop(call: Call) -> Hop:
    """The target of a call.

    Raises:
        Refused: stage `policy`, with the reason of the judge.
    """
    target = judge_url(call.url, call.policy)
    if target.reason:
        raise Refused("policy", target.reason, f"{call.url[:300]!r} may not be called")
    return Hop(target)


def next_hop(call: Call, hop: Hop, location: str, allowed: int) -> Hop:
    """Where a redirect leads, if it may be followed: same origin, judged again, a GET, within the allowed number of hops.

    Raises:
        Refused: `redirect-target` (the judge refuses it), `redirect-refused`, `redirect-cross-origin`, `redirect-loop`.
    """
    try:
        target = judge_url(urldefrag(urljoin(hop.target.url, location)).url, call.policy)
    except ValueError:
        raise Refused("policy", "redirect-target", f"{_shown(location)} is no URL") from None
    shown = _shown(location)
    if target.reason:
        raise Refused("policy", "redirect-target", f"{target.reason}: {shown}")
    if allowed == 0 or call.method != "GET":
        raise Refused("fetch", "redirect-refused", f"redirects are off, it points to {shown}")
    if target.origin != hop.target.origin:
        raise Refused("policy", "redirect-cross-origin", f"it points to {shown}")
    if len(hop.earlier) >= allowed:
        raise Refused("fetch", "redirect-loop", f"more than {allowed} redirects")
    return Hop(target, (*hop.earlier, hop.target.url))


def _shown(location: str) -> str:
    """A redirect's target as facts and logs may keep it: without query, fragment and user, where what logs somebody in stands."""
    path, *cut = re.split(r"([?#])", location, maxsplit=1)
    return repr(re.sub(r"//[^/\\]*@", "//…@", path)[:200] + (f"{cut[0]}…" if cut else ""))


async def dress(call: Call, target: JudgedUrl, send: Send) -> tuple[httpcore.Request, Echo]:
    """The request as it leaves, and what looks out for its secret in the answer.

    The credential is attached only where the target is a host it was issued for.

    Raises:
        Refused: `header-forbidden`, `credential-foreign-host`, and what the credential itself refuses.
    """
    foreign = [name for name in call.headers if name.lower() in _OURS]
    if foreign:
        raise Refused("policy", "header-forbidden", f"the door sets {foreign[0]} itself", "ours")
    attached = Attachment()
    if call.credential is not None:
        if not host_matches(target.host, call.credential.hosts):
            where = f"{call.credential.name} was not issued for {target.host}"
            raise Refused("authenticate", "credential-foreign-host", where, "ours")
        attached = await call.credential.attach(send)
    _, _, authority, rest = target.url.split("/", 3)
    headers = {"Host": authority, "User-Agent": USER_AGENT, "Accept-Encoding": ACCEPT_ENCODING, **call.headers}
    if call.body or call.method == "POST":
        headers["Content-Length"] = str(len(call.body))
    headers |= attached.headers
    request = httpcore.Request(
        call.method,
        httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=_path("/" + rest, attached)),
        headers=[(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()],
        content=call.body,
    )
    return request, Echo(attached.hidden)


def _path(rest: str, attached: Attachment) -> str:
    path = quote(rest, safe=_PATH_SAFE)
    if not attached.query:
        return path
    return f"{path}{'&' if '?' in path else '?'}{urlencode(attached.query)}"
