"""`show` for people: how the agent stands, what it offers, what was tried, who depends on it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from cardtrail.events.model.evidence import Claim
from cardtrail.services.cli.formats import text_profile
from cardtrail.services.cli.formats.words import short_digest
from cardtrail.services.cli.live.heard import LEVELS
from cardtrail.services.cli.live.status_text import agent, verdict
from cardtrail.services.cli.live.when import age, as_known
from cardtrail.services.cli.live.words import VERDICTS, claim
from cardtrail.services.cli.outputs.show import ShowOutput
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.text import plain

_MOST = 12
_OUTCOMES: dict[str, Level] = {"held": "ok", "contradicted": "error", "inconclusive": "unknown"}


def lines(found: ShowOutput, style: Style) -> Iterator[str]:
    """The whole page."""
    now = datetime.fromisoformat(found.at)
    if found.as_of:
        yield as_known(found.as_of, found.through)
    yield f"{agent(found.agent, found.principal)}  {plain(found.target.value) if found.target else 'not watched'}"
    yield from _fresh(found, style, now)
    yield from _card(found, style)
    yield from _findings(found, style)
    for item in found.evidence:
        word = style.marked(_OUTCOMES[item["outcome"]], item["outcome"])
        when = age(item["at"], now, terminal=bool(style.columns))
        yield f"evidence    {claim(Claim.model_validate(item['claim']))}  {word}  {when}  by {item['source']}"
    for name, tally in found.calls.items():
        yield f"calls       {plain(name)}  {tally['errors']} of {tally['calls']} failed"
    for lock in found.locks:
        word = verdict(lock, style)
        since = age(lock.since, now, terminal=bool(style.columns))
        yield f"lock        {plain(lock.workflow)}  {word}  since {since}  {lock.open} open, {lock.acknowledged} acknowledged"
    for one in found.stands_in:
        word = style.marked(VERDICTS.get(one.verdict, "unknown"), one.verdict)
        since = f"  since {age(one.valid_from, now, terminal=bool(style.columns))}" if one.valid_from else ""
        by = f"  by {plain(', '.join(one.rules))}" if one.rules else ""
        yield f"stands in   {plain(one.workflow)}  {word}  for {plain(one.agent)}{since}{by}, no lock of its own"


def _fresh(found: ShowOutput, style: Style, now: datetime) -> Iterator[str]:
    row: dict[str, Any] = found.freshness or {}
    seen = age(row.get("last_success"), now, terminal=bool(style.columns))
    stands, where = style.marked(LEVELS[found.heard], found.heard), plain(row.get("location", ""))
    yield f"heard       {stands}  last answer {seen}  {where}".rstrip()
    trouble = row.get("trouble")
    if trouble:
        what = f"{plain(trouble['stage'])}: {plain(trouble['reason'])}"
        detail = f" ({plain(trouble['detail'])})" if trouble["detail"] else ""
        since = age(trouble["since"], now, terminal=bool(style.columns))
        yield f"trouble     {what}{detail}, {trouble['attempts']} attempts, since {since}"


def _findings(found: ShowOutput, style: Style) -> Iterator[str]:
    """Errors first, as `lint` has them; what is merely worth knowing is counted."""
    telling = sorted((one for one in found.findings if one.level != "info"), key=lambda one: one.level != "error")
    for one in telling[:_MOST]:
        word = style.marked("error" if one.level == "error" else "warning", one.code)
        yield f"finding     {word}  {plain(one.name)}  {plain(one.path)}  {plain(one.message)}"
    rest = len(found.findings) - len(telling[:_MOST])
    if rest:
        yield f"finding     {rest} {'more' if telling else 'worth knowing'}: --json"


def _card(found: ShowOutput, style: Style) -> Iterator[str]:
    if found.identity is not None:
        who = found.identity
        signed = f"signature {who.signature}{f' by {plain(who.signer)}' if who.signer else ''}"
        provider = f"  provider {plain(who.provider)}" if who.provider else ""
        yield f"identity    {plain(who.name)}  {plain(who.version)}{provider}  {signed}"
    if found.profile is None:
        yield "profile     none yet"
        return
    kept = f", last good {short_digest(found.last_good)}" if found.last_good else ""
    yield f"profile     {short_digest(found.profile_digest)}{kept}"
    yield from text_profile.lines(found.profile, style)
