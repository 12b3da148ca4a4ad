"""How long an answer may be believed, and how to ask whether it still holds (RFC 9111, RFC 9110 §8.8 and §13.1). Pure.

hishel, the maintained HTTP cache for httpx, was tried for this and does not serve: it keeps bodies itself (ours lie in the log
under their digests), reads the clock inside, answers from its store where a tracker wants an observation, and does not say
which validators a 304 confirmed. What we need of the RFC is when to ask and what to send, and both must be told as facts.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from cardtrail.events.card_fetched import Freshness, Validators
from cardtrail.services.outbound.http_time import LONGEST_S, instant, seconds

_DIRECTIVE = re.compile(r'([!#$%&\'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?')
_CHANGING = frozenset({"authorization", "cookie"})
_UNBELIEVED = ("no-store", "no-cache")


def directives(value: str) -> dict[str, str]:
    """`Cache-Control` by lower-case name; of a repeated directive the first counts (RFC 9111 §4.2.1)."""
    found: dict[str, str] = {}
    for match in _DIRECTIVE.finditer(value):
        found.setdefault(match[1].lower(), match[2] if match[2] is not None else match[3] or "")
    return found


def freshness(headers: Mapping[str, str], now: datetime) -> Freshness:
    """Lifetime and age, seconds, as a private cache sees them; `lifetime_s` None where the server says nothing.

    An unreadable max-age or Expires counts as 0 (§4.2.1, §5.3). `now` is when the answer came.
    """
    control = directives(headers.get("cache-control", ""))
    date = instant(headers.get("date", "")) or now
    age = max(seconds(headers.get("age", "")) or 0, int((now - date).total_seconds()), 0)
    if any(name in control for name in _UNBELIEVED):
        return Freshness(lifetime_s=0, age_s=age, by="server")
    if "max-age" in control:
        return Freshness(lifetime_s=seconds(control["max-age"]) or 0, age_s=age, by="server")
    if "expires" in headers:
        expires = instant(headers["expires"])
        lifetime = max(int((expires - date).total_seconds()), 0) if expires else 0
        return Freshness(lifetime_s=min(lifetime, LONGEST_S), age_s=age, by="server")
    return Freshness(age_s=age)


def fresher(held: Freshness, said: Freshness) -> Freshness:
    """The freshness of a short observation: what it says itself, else the lifetime that was held, with no age."""
    return held.model_copy(update={"age_s": 0}) if said == Freshness() else said


def remaining_s(held: Freshness) -> int:
    """Seconds that the server still vouches for the answer, counted from when it came."""
    return max((held.lifetime_s or 0) - held.age_s, 0)


def validators(headers: Mapping[str, str]) -> Validators:
    """What to send back later, verbatim; none where `Vary` says that the next request is not like this one (§4.1).

    What a look sends is always the same but for its credential, whose tokens change: a date alone then says nothing of the answer
    that the next token gets, while a tag names its own answer.
    """
    names = {name.strip().lower() for name in headers.get("vary", "").split(",")}
    if "*" in names or (names & _CHANGING and not headers.get("etag")):
        return Validators()
    return Validators(etag=headers.get("etag") or None, last_modified=headers.get("last-modified") or None)


def conditions(held: Validators) -> dict[str, str]:
    """The conditional headers of a request; a date is sent only where there is no tag (RFC 9110 §13.1.3)."""
    if held.etag:
        return {"If-None-Match": held.etag}
    return {"If-Modified-Since": held.last_modified} if held.last_modified else {}


def same_tag(one: str | None, other: str | None) -> bool:
    """Weak comparison (RFC 9110 §8.8.3.2): `W/` says nothing."""
    return one is not None and other is not None and one.removeprefix("W/") == other.removeprefix("W/")


def confirms(sent: Validators, headers: Mapping[str, str]) -> bool:
    """Whether a 304 speaks of the answer we hold: it names no other tag than the one sent (RFC 9111 §4.3.4)."""
    if not conditions(sent):
        return False
    named = headers.get("etag")
    return named is None or sent.etag is None or same_tag(named, sent.etag)


def is_due_in_full(full_at: datetime | None, now: datetime, every_s: int) -> bool:
    """Whether it is time to ask without conditions too: a 304 for ever may be a lie, and hides a changed signature."""
    return full_at is None or now - full_at >= timedelta(seconds=every_s)
