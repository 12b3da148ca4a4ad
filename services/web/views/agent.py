"""One agent: how it stands, what it offers with what was tried, who depends on it, what happened to it. Pure."""

from datetime import datetime
from typing import Any

from cardtrail.events.fact import instant
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.profile import Identity, Profile
from cardtrail.events.model.value import Value
from cardtrail.services.cli.live.words import claim
from cardtrail.services.cli.outputs.history import HistoryEntry
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.status import Heard, LockStanding, standing
from cardtrail.services.web.attempts import ATTEMPTS
from cardtrail.services.web.past import Past
from cardtrail.services.web.views.strip import Strip, strip

_STORY = 60
_LEVELS = ("error", "warning", "info")


class Tried(Value):
    """A claim that was tried: outcome (`held`, `contradicted`, `inconclusive`), when, by what, why, as it says."""

    claim: str
    outcome: str
    at: str
    source: str
    reason: str


class Line(Value):
    """One line of the story: when (observed), what, in words, the sequences of its facts; `decision` is a decision's id."""

    at: str
    what: str
    text: str
    facts: tuple[int, ...]
    decision: str


class AgentView(Value):
    """The page; `locks` and `stands_in` (said by others' locks) worst first, `story` newest first and its last lines only.

    `findings`, errors first, are those of the last answer that came in full, the fact `found_in`: about the card, its signatures
    and the way it was had.
    """

    format: str = "cardtrail.page.agent/1"
    agent: str
    principal: str
    names: tuple[str, ...]
    principals: tuple[str, ...]
    at: str
    through: int
    heard: str
    watched: bool
    target_kind: str
    target: str
    interval_s: int
    source_kind: str
    location: str
    last_success: str | None
    trouble: dict[str, Any] | None
    profile: Profile | None
    profile_digest: str
    card: int | None
    compiled_at: str | None
    last_good: dict[str, Any] | None
    identity: Identity | None
    found_in: int | None
    findings: tuple[Diagnostic, ...]
    tried: tuple[Tried, ...]
    calls: dict[str, Any]
    locks: tuple[LockStanding, ...]
    strip: Strip
    story: tuple[Line, ...]
    lines: int
    stands_in: tuple[StandIn, ...] = ()


def agent_view(
    past: Past, principals: tuple[str, ...], names: tuple[str, ...], now: datetime, stands: Heard
) -> AgentView:
    """What is known of an agent from its own past; `principals` also see it, `names` are what locks call it."""
    key = (past.principal, past.agent)
    fresh: dict[str, Any] = past.rows.get("freshness", key) or {}
    profile = past.rows.get("current_profile", key) or {}
    evidence = (past.rows.get("evidence", key) or {"claims": []})["claims"]
    locks = [standing(row, stands, fresh.get("last_success")) for row in past.rows.table("lockfile_status").values()]
    told = tuple(past.story.told())
    full = next((held for held in reversed(past.cards) if held[0] == fresh.get("full")), None)
    return AgentView(
        agent=past.agent,
        principal=past.principal,
        names=names[1:],
        principals=principals,
        at=instant(now),
        through=past.through,
        heard=stands,
        watched=past.tracked is not None,
        target_kind=past.tracked.target.kind if past.tracked else "",
        target=past.tracked.target.value if past.tracked else "",
        interval_s=past.tracked.interval_s if past.tracked else 0,
        source_kind=past.tracked.source_kind if past.tracked else "",
        location=fresh.get("location", ""),
        last_success=fresh.get("last_success"),
        trouble=fresh.get("trouble"),
        profile=profile.get("profile"),
        profile_digest=profile.get("profile_digest", ""),
        card=profile.get("card_sequence"),
        compiled_at=profile.get("compiled_at"),
        last_good=profile.get("last_good"),
        identity=profile.get("identity"),
        found_in=full[0] if full else None,
        findings=tuple(sorted(full[1].findings, key=lambda one: _LEVELS.index(one.level))) if full else (),
        tried=tuple(map(_tried, evidence)),
        calls=(past.rows.get("calls", key) or {"operations": {}})["operations"],
        locks=tuple(sorted(locks, key=_worst_first)),
        strip=strip((past.rows.get(ATTEMPTS, key) or {"codes": ""})["codes"]),
        story=tuple(map(_line, reversed(told[-_STORY:]))),
        lines=len(told),
    )


def _tried(item: dict[str, Any]) -> Tried:
    said = {name: item[name] for name in ("outcome", "at", "source", "reason")}
    return Tried(claim=claim(Claim.model_validate(item["claim"])), **said)


def _line(entry: HistoryEntry) -> Line:
    ids = [one.fact["id"] for one in entry.facts if one.fact["type"].startswith("dev.cardtrail.change-decided.")]
    facts = tuple(one.sequence for one in entry.facts)
    return Line(at=entry.at, what=entry.what, text=entry.text, facts=facts, decision=ids[-1] if ids else "")


def _worst_first(lock: LockStanding) -> tuple[int, str]:
    return ("breaking", "review", "pending", "compatible").index(lock.verdict), lock.workflow
