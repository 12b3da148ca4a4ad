"""The views: each reads what it needs and hands it to a pure function; nothing is decided here."""

from uuid import UUID

from starlette.requests import Request

from cardtrail.events import ChangeDecided, ProfileCompiled, Stored
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.services.card.read import CardReading, read_card
from cardtrail.services.cli.live.heard import heard
from cardtrail.services.cli.live.stand_ins import of_agent, stood_in
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.web.answer import Shown
from cardtrail.services.web.asked import Asked, moment, number
from cardtrail.services.web.past import Past
from cardtrail.services.web.site import About, Missing, Site
from cardtrail.services.web.views.agent import agent_view
from cardtrail.services.web.views.compare import Side, compare_view
from cardtrail.services.web.views.decision import decision_view
from cardtrail.services.web.views.fact import FactView, card_view, fact_view
from cardtrail.services.web.views.fleet import fleet
from cardtrail.services.web.views.rules import rule_view, rules_view
from cardtrail.services.web.views.sql import fleet_sql, rules_sql, story_sql, timeline_sql
from cardtrail.services.web.views.timeline import picture, timeline


async def show_fleet(site: Site, request: Request, given: Asked) -> Shown:
    """`/`."""
    del request
    known = await site.known(given)
    view = fleet(known, given, given.at or site.now())
    said = f"{view.verdicts['breaking']} breaking, {view.verdicts['review']} review"
    sql = "" if given.at else fleet_sql(given)
    return Shown("fleet.html", view, known.through, "Fleet", said, table="rows", extra={"sql": sql})


async def show_agent(site: Site, request: Request, given: Asked) -> Shown:
    """`/agents/{agent}`."""
    about, now = await site.about(given, request.path_params["agent"]), given.at or site.now()
    past = about.past
    stands = heard(past.rows.get("freshness", (past.principal, past.agent)), _patience(site, given), now)
    view = agent_view(past, _seen_by(site, past.agent), about.names, now, stands)
    view = view.model_copy(update={"stands_in": await _stands_in(site, given, about)})
    scale, lanes, marks = picture(timeline(past, given, now))
    extra = {"scale": scale, "lanes": lanes, "marks": marks, "sql": story_sql(past.agent, past.principal)}
    without = f"stands in, {view.stands_in[0].verdict}" if view.stands_in else "no lock"
    worst = view.locks[0].verdict if view.locks else without
    return Shown("agent.html", view, past.through, past.agent, f"{past.agent}: {worst}, {stands}", extra=extra)


async def show_timeline(site: Site, request: Request, given: Asked) -> Shown:
    """`/agents/{agent}/timeline`."""
    past = (await site.about(given, request.path_params["agent"])).past
    view = timeline(past, given, given.at or site.now())
    scale, lanes, marks = picture(view)
    sql = timeline_sql(past.agent, past.principal, view.start, view.end, past.through)
    extra = {"scale": scale, "lanes": lanes, "marks": marks, "sql": sql}
    said = f"{len(view.spans)} spans, {len(view.marks)} marks"
    return Shown(
        "timeline.html",
        view,
        past.through,
        f"Timeline of {past.agent}",
        said,
        table="spans",
        extra=extra,
    )


async def show_decision(site: Site, request: Request, given: Asked) -> Shown:
    """`/decisions/{id}`."""
    site.reachable(given)
    stored = await _decided(site, request.path_params["id"])
    event = stored.fact.data
    if not isinstance(event, ChangeDecided) or event.principal != given.principal:
        raise Missing(
            "decision-unknown", f"{given.principal} has no such decision", hint="cardtrail status --json names them"
        )
    live = site.live(given)
    about = await site.past(given, live.names(live.called(event.agent)))
    routes = () if given.at else live.tables.get("routes", {}).items()
    mine = [row for key, row in routes if key[:2] == (event.principal, event.workflow)]
    view = decision_view(about.past, stored, event, mine)
    title = f"{event.verdict}: {event.workflow} × {event.agent}"
    return Shown("decision.html", view, about.past.through, title, title, extra={"agent": about.names[0]})


async def show_compare(site: Site, request: Request, given: Asked) -> Shown:
    """`/agents/{agent}/compare`: `left`, `right` are instants (none = now), `as` another principal for the right side."""
    left = await _side(site, given, request.path_params["agent"], given.one("left"), given.principal)
    right = await _side(
        site, given, request.path_params["agent"], given.one("right"), given.one("as") or given.principal
    )
    sides = tuple(_told(about.past, at) for about, at in (left, right))
    profiles = tuple(_profile(about.past) for about, _ in (left, right))
    read = [await _card(site, about.past) for about, _ in (left, right)]
    cards = (read[0], read[1]) if read[0] is not None and read[1] is not None else None
    agent = left[0].past.agent
    view = compare_view(agent, _seen_by(site, agent), (sides[0], sides[1]), (profiles[0], profiles[1]), cards)
    through = max(side.through for side in sides)
    return Shown("compare.html", view, through, f"Compare {agent}", f"{len(view.differing)} capabilities differ")


async def show_rules(site: Site, request: Request, given: Asked) -> Shown:
    """`/rules`."""
    del request
    view = rules_view(site.live(given), given.one("verdict"), given.one("tag"))
    return Shown("rules.html", view, 0, "Rules", live=False, extra={"sql": rules_sql(given.principal)})


async def show_rule(site: Site, request: Request, given: Asked) -> Shown:
    """`/rules/{id}`."""
    view = rule_view(site.live(given), request.path_params["id"])
    if view is None:
        raise Missing("rule-unknown", "there is no such rule", hint="cardtrail rules lists them")
    return Shown("rule.html", view, 0, view.id, live=False)


async def show_fact(site: Site, request: Request, given: Asked) -> Shown:
    """`/facts/{sequence}`."""
    stored, view = await _fact(site, request, given)
    return Shown("fact.html", view, view.sequence, f"Fact {view.sequence}", live=False, raw=stored.raw)


async def show_card(site: Site, request: Request, given: Asked) -> Shown:
    """`/facts/{sequence}/card`: the bytes as served."""
    _, fact = await _fact(site, request, given)
    if not fact.body:
        raise Missing("body-unknown", f"fact {fact.sequence} names no card", hint=f"/facts/{fact.sequence}")
    data = await site.context.bus.get_body(fact.agent, fact.principal, fact.body)
    return Shown(
        "card.html", card_view(fact, data), fact.sequence, f"Card of fact {fact.sequence}", live=False, raw=data
    )


async def _fact(site: Site, request: Request, given: Asked) -> tuple[Stored, FactView]:
    site.reachable(given)
    stored = await site.context.bus.at(number(request.path_params["sequence"]))
    if stored is None:
        raise Missing("fact-unknown", "the log has no such fact", hint="facts are numbered from 1 without end")
    view = fact_view(stored)
    if view.agent and view.principal != given.principal:
        raise Missing("fact-unknown", f"{given.principal} has no such fact", hint=f"?principal={view.principal}")
    return stored, view


async def _decided(site: Site, text: str) -> Stored:
    await site.trail.begun()
    try:
        place = await site.trail.decision(UUID(text))
    except ValueError:
        place = None
    stored = await site.context.bus.at(place) if place else None
    if stored is None:
        raise Missing("decision-unknown", "the log has no such decision", hint="cardtrail status --json names them")
    return stored


async def _side(site: Site, given: Asked, segment: str, at: str, principal: str) -> tuple[About, str | None]:
    when = moment(at) if at else given.at
    asked = Asked(given.path, (("principal", principal),), when)
    return await site.about(asked, segment), instant(when) if when else None


def _told(past: Past, at: str | None) -> Side:
    profile, card = past.profile_at(past.through), past.card_at(past.through)
    return Side(
        principal=past.principal,
        at=at,
        through=past.through,
        profile=profile[0] if profile else None,
        card=card[0] if card else None,
        version=profile[1].identity.version if profile else "",
        verdicts={key[1]: row["verdict"] for key, row in sorted(past.rows.table("lockfile_status").items())},
    )


def _profile(past: Past) -> ProfileCompiled | None:
    held = past.profile_at(past.through)
    return held[1] if held else None


async def _card(site: Site, past: Past) -> CardReading | None:
    held = past.card_at(past.through)
    data = await site.context.bus.get_body(past.agent, past.principal, held[1].raw_digest) if held else None
    return read_card(data) if data is not None else None


def _seen_by(site: Site, agent: str) -> tuple[str, ...]:
    views = ((principal, site.memory.known(principal)) for principal in site.memory.principals)
    return tuple(principal for principal, known in views if known is not None and agent in known.everybody())


async def _stands_in(site: Site, given: Asked, about: About) -> tuple[StandIn, ...]:
    """Where the agent is the fallback of another's lock, now or at the instant asked for."""
    live, agent = site.live(given), about.past.agent
    others = (one["agent"] for row in live.routes for one in row["candidates"])
    names = {*about.names, *(name for name in others if live.called(name) == agent)}
    if given.at is None:
        return of_agent(live.stand_ins, names)
    return await stood_in(site.context.bus, names, given.principal, about.past.through)


def _patience(site: Site, given: Asked) -> int:
    budget = site.live(given).tables.get("staleness_budget", {}).get(("policy",))
    return int(budget["staleness_s"]) if budget else Policy().staleness_s
