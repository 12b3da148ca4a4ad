"""What a safety contract allows: which tests of which claims at all, and when the next one may leave. Pure.

A request that runs no message needs no contract, and keeps the quiet hours of one. "" means allowed, anything else is the
reason why not, in kebab-case.
"""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface
from cardtrail.services.contract import SafetyContract
from cardtrail.services.prober.probe import Probe
from cardtrail.services.verdict.modes import essence
from cardtrail.services.verdict.site import same_site
from cardtrail.services.wire.answer import media_types
from cardtrail.services.wire.request import is_legacy

DAY = timedelta(days=1)
_QUARTER = timedelta(minutes=15)


def disagreed(contract: SafetyContract | None, probe: Probe, claim: Claim, interface: Interface, home: str) -> str:
    """Why a test was never agreed; `home` is the host that the card comes from.

    Reasons: `no-contract`, `not-agreed` (another probe or skill), `host-not-agreed`, `no-message` (none of that media type).
    """
    if not probe.runs_message:
        return ""
    if contract is None:
        return "no-contract"
    if contract.probes and probe.id not in contract.probes:
        return "not-agreed"
    if contract.skill is not None and claim.skill not in (None, contract.skill):
        return "not-agreed"
    host = _host(interface.url)
    if host not in contract.hosts if contract.hosts else not same_site(host, home):
        return "host-not-agreed"
    return "" if message_for(contract, claim, interface) is not None else "no-message"


def message_for(contract: SafetyContract, claim: Claim, interface: Interface) -> dict[str, Any] | None:
    """The agreed message for a claim, None where none carries the media type that the claim is about."""
    message: dict[str, Any] | None = contract.message
    if claim.kind == "input-mode":
        wanted = essence(claim.value or "")
        by_mode = {essence(mode): agreed for mode, agreed in contract.messages.items()}
        carried = {essence(mode) for mode in media_types({"message": contract.message})}
        message = by_mode.get(wanted) or (contract.message if wanted in carried else None)
    if message is None:
        return None
    role = "user" if is_legacy(interface) else "ROLE_USER"
    return {"messageId": "cardtrail-probe", "role": role, **message}


def refusal(contract: SafetyContract | None, *, runs_message: bool, spent: tuple[datetime, ...], now: datetime) -> str:
    """Why nothing may be sent now: `quiet-hours`, `budget-spent`, `too-soon`; `spent` are requests that ran messages."""
    if contract is None:
        return "no-contract" if runs_message else ""
    if any(hours.covers(now) for hours in contract.quiet):
        return "quiet-hours"
    recent = [at for at in spent if now - at < DAY]
    if not runs_message:
        return ""
    if len(recent) >= contract.budget:
        return "budget-spent"
    if recent and (now - max(recent)).total_seconds() < contract.rate_s:
        return "too-soon"
    return ""


def earliest(
    contract: SafetyContract | None, wanted: datetime, *, runs_message: bool, spent: tuple[datetime, ...]
) -> datetime:
    """The first instant from `wanted` on at which it may be sent; with an empty budget or an all-day quiet, a day later."""
    if contract is None:
        return wanted
    at, end = wanted, wanted + 2 * DAY
    while at < end:
        why = refusal(contract, runs_message=runs_message, spent=spent, now=at)
        if not why:
            return at
        at = _after(contract, why, spent, at)
    return wanted + DAY


def _after(contract: SafetyContract, why: str, spent: tuple[datetime, ...], at: datetime) -> datetime:
    if why == "too-soon":
        return max(spent) + timedelta(seconds=contract.rate_s)
    if why == "budget-spent" and contract.budget:
        recent = sorted(one for one in spent if at - one < DAY)
        return recent[-contract.budget] + DAY
    return at + _QUARTER - timedelta(minutes=at.minute % 15, seconds=at.second, microseconds=at.microsecond)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
