"""A card named by a URL, had through the tracker's own pipeline; what the live view calls unreadable is a refusal of the card."""

import asyncio
from datetime import UTC, datetime

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.errors import CardtrailError, DocumentRefused, Unreachable, UsageError
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.projections.trouble import trouble_kind
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.shell.inputs import Given
from cardtrail.services.cli.shell.options import Reach
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks
from cardtrail.services.fetcher.locate import target_of
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import Outcome, refresh
from cardtrail.services.outbound.call import Answer, Call, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.settings import Settings

_GONE = (404, 410)
_OK = 200
_OPENED_BY_NETWORK = frozenset(
    (
        *("loopback", "private", "cgnat", "link-local", "site-local", "unspecified", "broadcast", "multicast"),
        *("documentation", "benchmark", "6to4", "nat64", "teredo", "isatap", "reserved", "local-name"),
    )
)
"""Why a host may not be called that `--network` opens; what else is refused stays so."""


def fetch_card(name: str, reach: Reach) -> Given:
    """The card behind a URL, looked for where and as the fetcher would; what was odd about the way is in `odd`.

    Raises:
        UsageError: a URL that may not be called.
        DocumentRefused: an answer that is no JSON, too large or broken, or that leads where nobody may follow.
        Unreachable: no answer, or none that holds a card.
    """
    settings = load_settings(reach.config)
    policy = EndpointPolicy(cidrs=reach.networks, cleartext=reach.cleartext)
    errand = Errand("cli", target_of(name, exact=reach.exact), policy=policy)
    fact, body = asyncio.run(_look(errand, settings))
    if body is not None:
        found = fact.location if isinstance(fact, CardFetched) else fact.target
        odd = fact.findings if isinstance(fact, CardFetched) else ()
        return Given(name, body, found, found, tuple(one for one in odd if one.code.startswith("CT1")))
    assert isinstance(fact, CardRefused), "a look that finds a card for the first time has its body"  # noqa: S101
    raise _refused(fact, errand)


def fetch_keys(url: str, reach: Reach) -> bytes:
    """The key set at exactly this https URL.

    Raises:
        UsageError: a URL that may not be called. Unreachable: `keys-unreachable`.
    """
    settings = load_settings(reach.config)
    call = Call(url, EndpointPolicy(cidrs=reach.networks), headers={"Accept": "application/json"})
    answer = asyncio.run(_send(call, settings))
    if isinstance(answer, Answer) and answer.status == _OK:
        return answer.body
    if isinstance(answer, Answer):
        raise Unreachable("keys-unreachable", f"answered {answer.status}", file=url)
    if _is_ours_to_open(answer):
        raise forbidden(answer.reason, _what(answer), url)
    raise Unreachable("keys-unreachable", _what(answer), file=url)


def forbidden(reason: str, what: str, url: str) -> UsageError:
    """Why a URL that the caller has named may not be called, and what would open it where something should."""
    hint = "allow http with --cleartext" if reason == "cleartext" else ""
    if reason in _OPENED_BY_NETWORK:
        hint = "where that is a network of your own, allow it with --network CIDR"
    return UsageError("target-forbidden", what, hint=hint, file=url)


async def _look(errand: Errand, settings: Settings) -> Outcome:
    async with _door(settings) as door:
        return await refresh(errand, Memory(), door.send, Checks(), datetime.now(UTC))


async def _send(call: Call, settings: Settings) -> Answer | Refusal:
    async with _door(settings) as door:
        return await door.send(call)


def _door(settings: Settings) -> Door:
    return Door(settings.limits, settings.tls, resolver=static_names(settings.hosts))


def _refused(fact: CardRefused, errand: Errand) -> CardtrailError:
    """One classification with the live view: unreadable is exit 3, unreachable exit 4; what nobody opened yet is exit 2."""
    if trouble_kind(fact) == "unreadable":
        hint = "did a login page answer?" if fact.reason == "content-type" and "html" in fact.detail else ""
        return DocumentRefused("card-unreadable", _what(fact), hint=hint, file=fact.target)
    if _is_ours_to_open(fact):
        return forbidden(fact.reason, _what(fact), fact.target)
    hint = (
        "where this is the card's own URL, say --exact"
        if fact.status in _GONE and errand.target.kind != "card-url"
        else ""
    )
    return Unreachable("agent-unreachable", _what(fact), hint=hint, file=fact.target)


def _is_ours_to_open(why: CardRefused | Refusal) -> bool:
    """Whether nobody was asked, because nobody has allowed it."""
    return why.stage in {"policy", "authenticate"} and why.status == 0


def _what(why: CardRefused | Refusal) -> str:
    return f"{why.reason}: {why.detail}" if why.detail else why.reason
