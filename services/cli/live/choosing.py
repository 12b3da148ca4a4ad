"""Choosing among the watched agents: what is known of each from log and buckets, both phases, and both as lines."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from cardtrail.events.agent_tracked import AgentTracked
from cardtrail.events.fact import instant
from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Profile
from cardtrail.projections.projection import Row
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.card.read import read_card
from cardtrail.services.cli.live.directory import Table, directory
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.candidates import CandidatesOutput, Rejected, Survivor
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain
from cardtrail.services.planner.export import Texts, exported, texts_of
from cardtrail.services.planner.filters import Bounds, Candidate, Filtered, Wanted, filtered
from cardtrail.services.planner.rank import Record, ranked
from cardtrail.services.settings import Settings

_TABLES = ("current_profile", "freshness", "evidence", "calls")


async def choose(tracker: Tracker, wanted: Wanted, principal: str, *, with_texts: bool = False) -> CandidatesOutput:
    """Both phases over everything that is watched for a principal."""
    known = await directory(tracker.bus)
    policy = known.told.policy.policy if known.told.policy else Policy()
    rows = {name: (await read_table(tracker.bus, "current_profile", principal, name))[0] for name in _TABLES}
    watched = [event for key, event in known.told.agents.items() if key[1] == principal and known.watched(key)]
    candidates = {event.agent: _candidate(event, rows, tracker.settings) for event in watched}
    chosen = tracker.settings.discovery
    bounds = Bounds(
        client=policy.client, allow=chosen.allow, token_hosts=chosen.token_hosts, staleness_s=policy.staleness_s
    )
    now = tracker.now()
    judged = [filtered(candidates[name], wanted, bounds, now) for name in sorted(candidates)]
    passed = _passed(judged, candidates, wanted, rows, chosen.costs)
    return CandidatesOutput(
        format="cardtrail.candidates/1",
        at=instant(now),
        principal=principal,
        wanted=wanted,
        passed=passed,
        rejected=tuple(Rejected(agent=one.agent, rejections=one.rejections) for one in judged if not one.survives),
        texts=await _texts(tracker, principal, passed, rows["current_profile"]) if with_texts else "",
    )


def lines(found: CandidatesOutput, style: Style) -> Iterator[str]:
    """The filters with their reasons, then the order; where texts for a model follow, nothing outside them is a provider's."""
    total, ours_alone = len(found.passed) + len(found.rejected), bool(found.texts)
    yield f"Hard filters: {len(found.passed)} of {total} pass"
    for refused in found.rejected:
        yield f"  {style.marked('error', plain(refused.agent))}"
        for why in refused.rejections:
            about = f" ({plain(why.skill)})" if why.skill and not ours_alone else ""
            yield f"      {why.filter}: {why.reason}{about}  {'' if ours_alone else plain(why.detail)}".rstrip()
    if any(why.reason == "token-host-untrusted" for one in found.rejected for why in one.rejections):
        yield "next: name that host in [discovery] token_hosts of the settings, if client secrets may go there"
    if found.rejected:
        yield "cardtrail rules REASON says what one means, and what to do"
    if found.passed:
        yield "In this order:"
    for one in found.passed:
        yield f"  {one.place}  {style.marked('ok', plain(one.agent))}  {'' if ours_alone else plain(one.skill)}".rstrip()
        if not ours_alone:
            yield f"      {plain(one.interface.binding)} {plain(one.interface.version)} at {plain(one.interface.url)}"
        yield f"      {plain(one.because)}"
    yield from found.texts.splitlines()


def _candidate(event: AgentTracked, rows: Mapping[str, Table], settings: Settings) -> Candidate:
    key = (event.principal, event.agent)
    profile, fresh = rows["current_profile"].get(key), rows["freshness"].get(key) or {}
    held = settings.credentials.get(event.credential) if event.credential else None
    trouble = fresh.get("trouble") or {}
    heard = fresh.get("last_success")
    token_host = urlsplit(held.token_url).hostname if held is not None and held.token_url else None
    return Candidate(
        agent=event.agent,
        principal=event.principal,
        profile=Profile.model_validate(profile["profile"]) if profile else None,
        location=fresh.get("location", ""),
        endpoints=event.endpoints,
        tenant=event.registry_metadata.get("tenant"),
        credential_hosts=held.hosts if held else None,
        token_hosts=(token_host,) if token_host else (),
        evidence=tuple(_evidence(claim) for claim in (rows["evidence"].get(key) or {}).get("claims", ())),
        heard=datetime.fromisoformat(heard) if heard else None,
        trouble=f"{trouble['stage']}: {trouble['reason']} {trouble['detail']}".strip() if trouble else "",
    )


def _evidence(claim: Row) -> Evidence:
    return Evidence.model_validate({name: claim[name] for name in Evidence.model_fields if name in claim})


def _passed(
    judged: list[Filtered],
    candidates: Mapping[str, Candidate],
    wanted: Wanted,
    rows: Mapping[str, Table],
    costs: Mapping[str, float],
) -> tuple[Survivor, ...]:
    """The survivors in order; of an agent's skills the best one stands for it."""
    records = [
        _record(candidates[one.agent], skill, wanted, rows, costs)
        for one in judged
        if one.survives
        for skill in one.skills
    ]
    by_place = {(record.agent, record.skill): record for record in records}
    skills = {one.agent: one.skills for one in judged}
    found: dict[str, Survivor] = {}
    for one in ranked(records):
        profile = candidates[one.agent].profile
        if one.agent in found or profile is None or profile.interface is None:
            continue
        record = by_place[(one.agent, one.skill)]
        numbers: dict[str, Any] = record.model_dump(include={"calls", "errors", "held", "latency_ms", "cost"})
        found[one.agent] = Survivor(
            place=len(found) + 1,
            agent=one.agent,
            skill=one.skill,
            skills=skills[one.agent],
            interface=profile.interface,
            because=one.because,
            tried_at=instant(record.tried_at) if record.tried_at else None,
            **numbers,
        )
    return tuple(found.values())


def _record(
    candidate: Candidate, skill: str, wanted: Wanted, rows: Mapping[str, Table], costs: Mapping[str, float]
) -> Record:
    key = (candidate.principal, candidate.agent)
    operations = (rows["calls"].get(key) or {}).get("operations", {}).values()
    held = [one for one in candidate.evidence if one.outcome == "held" and one.claim.skill in (None, skill)]
    tags = candidate.profile.skills[skill].tags if candidate.profile else ()
    spans = [one.p50_ms for one in held if one.p50_ms is not None]
    latency = min(spans) if spans else (rows["freshness"].get(key) or {}).get("latency_ms")
    return Record(
        agent=candidate.agent,
        skill=skill,
        tags=len({tag.lower() for tag in wanted.tags} & {tag.lower() for tag in tags}),
        calls=sum(one["calls"] for one in operations),
        errors=sum(one["errors"] for one in operations),
        held=len(held),
        tried_at=max((datetime.fromisoformat(one.at) for one in held), default=None),
        latency_ms=latency,
        cost=costs.get(candidate.agent),
    )


async def _texts(tracker: Tracker, principal: str, passed: tuple[Survivor, ...], profiles: Table) -> str:
    found = []
    for one in passed:
        row = profiles.get((principal, one.agent)) or {}
        body = await tracker.bus.get_body(one.agent, principal, row.get("card_digest", ""))
        card = read_card(body).card if body else None
        found.append(texts_of(card, one.skill) if card else Texts())
    return exported(found)
