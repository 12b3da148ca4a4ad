"""From an answer and what was known before to the fact about it; the last good card is never lost to a bad answer. Pure."""

from collections.abc import Mapping
from datetime import datetime

from cardtrail.events.card_fetched import CardFetched, Freshness, Validators
from cardtrail.events.card_refused import CardRefused, Stage
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Examined, Unusable
from cardtrail.services.fetcher.freshness import fresher, freshness, validators
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.outbound.call import Answer, Fault, Refusal
from cardtrail.services.outbound.http_time import retry_after_s

NOT_MODIFIED = 304
_KEPT = (
    *(
        "age",
        "cache-control",
        "content-encoding",
        "content-type",
        "date",
        "deprecation",
        "etag",
        "expires",
        "last-modified",
    ),
    *("retry-after", "server", "sunset", "vary", "via", "x-cache"),
)
_LONGEST_HEADER, _LONGEST_VERSION = 300, 128
_OF_ONE_ANSWER = frozenset(("age", "date"))
"""Headers that speak of the answer they came with, and not of the one that a 304 confirms."""
_OF_REGISTRIES = ("CT105", "CT106")
_COUNTED = ("raw_digest", "location", "signature", "extended", "a2a_version")
_STATUS: dict[int, tuple[Stage, str, Fault]] = {
    304: ("fetch", "not-modified-unasked", "provider"),
    401: ("authenticate", "unauthorized", "provider"),
    403: ("authenticate", "forbidden", "provider"),
    404: ("fetch", "not-found", "provider"),
    405: ("fetch", "method-not-allowed", "provider"),
    407: ("connect", "proxy-refused", "ours"),
    408: ("fetch", "unavailable", "provider"),
    410: ("fetch", "gone", "provider"),
    429: ("fetch", "throttled", "ours"),
    502: ("fetch", "unavailable", "provider"),
    503: ("fetch", "unavailable", "provider"),
    504: ("fetch", "unavailable", "provider"),
}


def fetched(errand: Errand, answer: Answer, seen: Examined, odd: tuple[Diagnostic, ...], now: datetime) -> CardFetched:
    """The full observation of a usable card."""
    return CardFetched(
        agent=errand.agent,
        principal=errand.principal,
        status=answer.status,
        latency_ms=answer.latency_ms,
        signature=seen.verified.summary,
        location=answer.hops[0] if answer.hops else answer.url,
        address=answer.address,
        raw_digest=seen.raw_digest,
        semantic_digest=seen.semantic_digest,
        signatures_digest=seen.signatures_digest,
        size=len(answer.body),
        media_type=answer.media_type,
        shape=seen.shape,
        agent_version=seen.card.version[:_LONGEST_VERSION],
        validators=validators(answer.headers),
        freshness=freshness(answer.headers, now),
        a2a_version=errand.a2a_version,
        legacy_path=any(finding.code == "CT100" for finding in odd),
        extended=errand.extended,
        headers=kept(answer.headers),
        findings=(*odd, *seen.findings),
    )


def shortened(full: CardFetched, memory: Memory) -> CardFetched:
    """The short form where nothing differs from the last full observation in the log, else the full one.

    The body, where it lay, the signature's outcome, new findings and notice count; other headers do not. New validators and a new
    freshness of an old body ride on the short form, an age always: it says of which instant the answer speaks.
    """
    last = memory.full
    if last is None or memory.sequence is None:
        return full
    if any(getattr(full, name) != getattr(last, name) for name in _COUNTED) or _found_more(full, last):
        return full
    if _notice(full.headers) != _notice(last.headers):
        return full
    said, before = full.freshness, memory.freshness
    if said.lifetime_s is None and before.lifetime_s is not None:
        return full  # that nothing is said of a lifetime any more, only the full form can say
    is_fresh_alike = not said.age_s and said.lifetime_s == before.lifetime_s
    return CardFetched(
        agent=full.agent,
        principal=full.principal,
        status=full.status,
        same_as=memory.sequence,
        latency_ms=full.latency_ms,
        signature=full.signature,
        validators=Validators() if full.validators == memory.validators else full.validators,
        freshness=Freshness() if is_fresh_alike else said,
        extended=full.extended,
    )


def whole(fact: CardFetched, memory: Memory) -> CardFetched:
    """A short observation in full again: what it refers to, as it was confirmed this time."""
    if fact.same_as is None or memory.full is None:
        return fact
    told = {name: getattr(fact, name) for name in ("status", "latency_ms", "signature")}
    told["validators"] = fact.validators if fact.validators != Validators() else memory.validators
    told["freshness"] = fresher(memory.freshness, fact.freshness)
    return memory.full.model_copy(update=told)


def not_modified(errand: Errand, answer: Answer, memory: Memory, now: datetime) -> CardFetched | None:
    """The last full observation as a 304 confirms it today; None where nothing is known that it could confirm."""
    if memory.full is None:
        return None
    return memory.full.model_copy(
        update={
            "agent": errand.agent,
            "principal": errand.principal,
            "status": NOT_MODIFIED,
            "latency_ms": answer.latency_ms,
            "address": answer.address,
            "freshness": freshness({**_lasting(memory.full.headers), **answer.headers}, now),
            "validators": renewed(memory.validators, answer.headers),
            "headers": {**memory.full.headers, **_notice(kept(answer.headers))},
        }
    )


def renewed(held: Validators, headers: Mapping[str, str]) -> Validators:
    """Validators after a 304: what it names replaces what was held (RFC 9111 §4.3.4)."""
    named = validators(headers)
    return Validators(etag=named.etag or held.etag, last_modified=named.last_modified or held.last_modified)


def refused(errand: Errand, why: Refusal) -> CardRefused:
    """The fact about a call that gave no answer."""
    return CardRefused(
        agent=errand.agent,
        principal=errand.principal,
        stage=why.stage,
        reason=why.reason,
        detail=why.detail[:500],
        target=(why.target or errand.target.value)[:500],
        status=why.status,
        address=why.address,
        latency_ms=why.latency_ms,
        extended=errand.extended,
        fault=why.fault,
    )


def unlocated(errand: Errand) -> CardRefused:
    """The fact about a target that names no place to look."""
    return refused(errand, Refusal("locate", "no-place", f"a {errand.target.kind} names no URL to fetch", "ours"))


def unusable(errand: Errand, answer: Answer, why: Unusable) -> CardRefused:
    """The fact about an answer that holds no usable card."""
    return CardRefused(
        agent=errand.agent,
        principal=errand.principal,
        stage=why.stage,
        reason=why.reason,
        detail=why.detail,
        target=answer.url,
        path=why.path,
        status=answer.status,
        address=answer.address,
        raw_digest=why.raw_digest,
        latency_ms=answer.latency_ms,
        extended=errand.extended,
    )


def status_refused(errand: Errand, answer: Answer, now: datetime) -> CardRefused:
    """The fact about a status that brings no card; throttling is nobody's fault but ours."""
    stage, reason, fault = _STATUS.get(answer.status, ("fetch", _class_of(answer.status), "provider"))
    return CardRefused(
        agent=errand.agent,
        principal=errand.principal,
        stage=stage,
        reason=reason,
        detail=f"HTTP {answer.status}",
        target=answer.url,
        status=answer.status,
        address=answer.address,
        latency_ms=answer.latency_ms,
        retry_after_s=retry_after_s(answer.headers, now),
        extended=errand.extended,
        fault=fault,
    )


def kept(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that a fact may hold, capped; never a cookie."""
    return {name: headers[name][:_LONGEST_HEADER] for name in _KEPT if name in headers}


def _lasting(headers: Mapping[str, str]) -> dict[str, str]:
    """What a 304 does not have to say again (RFC 9111 §4.3.4)."""
    return {name: value for name, value in headers.items() if name not in _OF_ONE_ANSWER}


def _notice(headers: Mapping[str, str]) -> dict[str, str]:
    """The notice that a server gives beside its card: RFC 8594, RFC 9745."""
    return {name: headers[name] for name in ("deprecation", "sunset") if name in headers}


def _class_of(status: int) -> str:
    if status >= 500:  # noqa: PLR2004 — RFC 9110 §15.6
        return "server-error"
    return "client-error" if status >= 400 else "status-unexpected"  # noqa: PLR2004 — RFC 9110 §15.5


def _found_more(full: CardFetched, last: CardFetched) -> bool:
    """Whether there are new findings, or what a registry states is no longer contradicted; others are looked for now and then."""
    now, before = ({(finding.code, finding.path) for finding in one.findings} for one in (full, last))
    over = any(code in _OF_REGISTRIES for code, _ in before - now)
    return not now <= before or (over and full.status != NOT_MODIFIED)
