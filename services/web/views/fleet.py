"""The fleet: agents × workflows, worst first, with counts, facets and search. Pure."""

from collections import Counter
from datetime import datetime
from typing import Any

from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Row
from cardtrail.services.cli.live.stand_ins import alone
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.status import standing
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.attempts import ATTEMPTS
from cardtrail.services.web.known import Known
from cardtrail.services.web.views.facets import Facet, facets, matches
from cardtrail.services.web.views.strip import Strip, strip

VERDICTS = ("breaking", "review", "pending", "compatible", "unlocked")
HEARD = ("unreachable", "unreadable", "signature", "stale", "unheard", "fresh")
ON_A_PAGE = 500
_TIMES = {"since": "since", "evidence": "evidence_at", "card": "card_at"}
_SORTS = ("worst", "agent", "workflow", "owner", "since", "evidence", "card")


class FleetRow(Value):
    """An agent with one workflow that depends on it, or with none (`unlocked`); instants RFC 3339 or None.

    `open` and `acknowledged` count findings, notes apart; `found_in` names what a search hit beyond the names. `candidate_of` is
    the agent that it stands in for, by a lock of its own or, `without_lock`, only as the fallback of another's; `alone` says
    that all who should stand behind a lock's agent are stopped themselves.
    """

    agent: str
    workflow: str
    verdict: str
    action: str | None
    since: str | None
    owner: str
    provider: str
    name: str
    version: str
    open: int
    acknowledged: int
    rules: tuple[str, ...]
    heard: str
    trouble: str
    tracked: bool
    evidence_at: str | None
    card_at: str | None
    decision: str | None
    candidate_of: str
    strip: Strip
    found_in: str = ""
    without_lock: bool = False
    alone: bool = False


class Fleet(Value):
    """The page: counts are of everything, `matching` of what the filters leave, `rows` of this page of them."""

    format: str = "cardtrail.page.fleet/1"
    principal: str
    at: str
    through: int
    verdicts: dict[str, int]
    heard: dict[str, int]
    agents: int
    total: int
    matching: int
    page: int
    pages: int
    sort: str
    facets: tuple[Facet, ...]
    rows: tuple[FleetRow, ...]


def fleet(known: Known, given: Asked, now: datetime) -> Fleet:
    """Everything that is watched or depended on, as one principal sees it."""
    everything = _rows(known, now)
    found = [row for row in everything if matches(row, given)]
    searched = [row for row in map(_search(known, given.one("q").lower()), found) if row is not None]
    sort = given.one("sort").removeprefix("-") or "worst"
    ordered = _sorted(searched, given.one("sort"))
    pages = max(1, -(-len(ordered) // ON_A_PAGE))
    page = min(int(given.one("page")) if given.one("page").isdecimal() else 1, pages) or 1
    verdicts, stands = Counter(row.verdict for row in everything), {row.agent: row.heard for row in everything}
    heard = Counter(stands.values())
    return Fleet(
        principal=known.principal,
        at=instant(now),
        through=known.through,
        verdicts={word: verdicts[word] for word in VERDICTS},
        heard={word: heard[word] for word in HEARD},
        agents=len(stands),
        total=len(everything),
        matching=len(ordered),
        page=page,
        pages=pages,
        sort=sort if sort in _SORTS else "worst",
        facets=facets(everything, given),
        rows=tuple(ordered[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]),
    )


def _rows(known: Known, now: datetime) -> list[FleetRow]:
    heard = {agent: known.heard(agent, now) for agent in known.everybody()}
    without = alone(known.routes)
    found = [
        _row(known, known.called(lock["agent"]), lock, heard).model_copy(
            update={"alone": (known.principal, lock["workflow"], lock["agent"]) in without}
        )
        for lock in known.locks
    ]
    found += [_standing_in(_row(known, known.called(one.watched), None, heard), one) for one in known.stand_ins]
    locked = {row.agent for row in found}
    watched = (agent for agent, row in known.agents.items() if row["tracked"] and agent not in locked)
    return [*found, *(_row(known, agent, None, heard) for agent in watched)]


def _row(known: Known, agent: str, lock: Row | None, heard: dict[str, Any]) -> FleetRow:
    fresh, profile = known.agents.get(agent) or {}, known.profile(agent)
    identity, trouble = profile.get("identity") or {}, fresh.get("trouble") or {}
    attempts = known.row(ATTEMPTS, agent) or {"codes": ""}
    stands = standing(lock, heard[agent], fresh.get("last_success")) if lock else None
    return FleetRow(
        agent=agent,
        workflow=stands.workflow if stands else "",
        verdict=stands.verdict if stands else "unlocked",
        action=stands.action if stands else None,
        since=stands.since if stands else None,
        owner=stands.owner if stands else "",
        provider=fresh.get("provider") or identity.get("provider", ""),
        name=identity.get("name", ""),
        version=identity.get("version", ""),
        open=stands.open if stands else 0,
        acknowledged=stands.acknowledged if stands else 0,
        rules=tuple(dict.fromkeys(one.rule for one in stands.findings if one.severity != "note")) if stands else (),
        heard=heard[agent],
        trouble=f"{trouble['stage']}: {trouble['reason']}" if trouble else "",
        tracked=bool(fresh.get("tracked")),
        evidence_at=stands.evidence_at if stands else None,
        card_at=fresh.get("last_success"),
        decision=stands.decision if stands else None,
        candidate_of=stands.candidate_of if stands else "",
        strip=strip(attempts["codes"]),
    )


def _standing_in(row: FleetRow, one: StandIn) -> FleetRow:
    """The row of an agent without a lock of its own, as the lock that names it as a fallback has it judged."""
    told = one.model_dump(mode="json", include={"workflow", "action", "owner", "decision"})
    told |= {"verdict": "pending" if one.verdict == "unknown" else one.verdict, "since": one.valid_from}
    return row.model_copy(update=told | {"rules": one.rules, "candidate_of": one.agent, "without_lock": True})


def _search(known: Known, text: str) -> Any:  # noqa: ANN401 — a function made for one search
    """Keeps a row whose ids, names or skills hold every word, and says where it was found."""
    words = text.split()

    def hit(row: FleetRow) -> FleetRow | None:
        names = " ".join((row.agent, row.workflow, row.owner, row.provider, row.name, row.version, *row.rules)).lower()
        left = [word for word in words if word not in names]
        if not left:
            return row
        skills = (known.profile(row.agent).get("profile") or {}).get("skills", {})
        found = next((skill for skill in skills if all(word in skill.lower() for word in left)), None)
        return row.model_copy(update={"found_in": f"skill {found}"}) if found is not None else None

    return hit


def _sorted(rows: list[FleetRow], sort: str) -> list[FleetRow]:
    name, down = sort.removeprefix("-"), sort.startswith("-")
    worst = sorted(rows, key=lambda row: (VERDICTS.index(row.verdict), HEARD.index(row.heard), row.workflow, row.agent))
    if name in _TIMES:
        return sorted(worst, key=lambda row: getattr(row, _TIMES[name]) or "", reverse=not down)
    if name in {"agent", "workflow", "owner"}:
        return sorted(worst, key=lambda row: getattr(row, name).lower(), reverse=down)
    return worst
