"""Who may be used for a skill of a workflow, in which order: the fold that composes judged candidates.

`routes` (principal, workflow, skill; skill "" where a lock names none): `candidates` in the order of the lock, its own agent
first, then its fallbacks; each with `agent`, `skill` (its own id for it), `verdict` (`pending` before the first decision and
while nobody watches the agent, `unknown` for a fallback that nobody judges), `action`, `degraded`, `usable` (judged, and not
stopped), `valid_from`, `decision`, `judged_through` (sequence), `stale_after` (instant after which silence makes all this
doubtful, at the latest when a fact about the agent came that cannot be applied; None = never heard), `profile_digest`, `rules`
(those that give the verdict), `watched`, the name under which its profile is kept ("" before the first decision), and
`lock_digest`, the lock it was judged by. `use` is the first usable agent or None, `use_skill` its skill id; `answer` is `agent`,
`person` or `nobody`; `person`, `owner`, `channel`, `when_blind` come from the lock; `ambiguous`: several locks name the skill.
No interface stands here: the profile has it.
"""

from datetime import datetime, timedelta

from cardtrail.events.agent_tracked import AgentUntracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import Stored, instant
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.model.policy import Policy
from cardtrail.events.policy_declared import PolicyDeclared
from cardtrail.events.subjects import token
from cardtrail.projections import locks
from cardtrail.projections.freshness import digests, unchanged
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Row, Rows, Table
from cardtrail.projections.route_order import compose

ROUTES = Table("routes", key=("principal", "workflow", "skill"))
ROUTE_PARTS = Table("route_parts", key=("principal", "workflow"), shown=False)
HELD = Table("held", key=("principal", "agent"), shown=False)
HEARD = Table("heard", key=("principal", "agent"), shown=False)
BUDGET = Table("staleness_budget", key=("of",), shown=False)
_DECIDED = {"verdict", "action", "degraded", "valid_from", "profile_digest"}
_BUDGET_KEY = ("policy",)
_HEARD = frozenset(
    event.kind
    for event in (LockfilePinned, LockfileReleased, ChangeDecided, CardFetched, PolicyDeclared, AgentUntracked)
)


class Routes:
    """The fold over pins, decisions and observations of agents that some lock names."""

    name = "routes"
    hears = _HEARD

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Compose anew the routes that this fact touches; a late one touches none."""
        event = stored.fact.data
        if event.kind not in _HEARD or late(stored, rows):
            return
        match event:
            case CardFetched():
                _heard(stored, event, rows)
            case LockfilePinned():
                locks.pinned(event, rows)
                _pinned(stored, event, rows)
            case LockfileReleased():
                _released(event, rows)
            case ChangeDecided():
                _decided(stored, event, rows)
            case AgentUntracked():
                _untracked(event, rows)
            case PolicyDeclared():
                rows.put(BUDGET.name, _BUDGET_KEY, {"staleness_s": event.policy.staleness_s})
                for principal, workflow in tuple(rows.table(ROUTE_PARTS.name)):
                    _compose(principal, workflow, rows)
            case _:
                pass

    def held(self, agent: str, principal: str, _: int, since: datetime | None, rows: Rows) -> None:
        """See `Fold`: whoever cannot be judged any more is doubtful from then on, and not only once it was silent for long."""
        if since is None:
            rows.delete(HELD.name, (principal, agent))
        else:
            rows.put(HELD.name, (principal, agent), {"since": instant(since)})
        for who, workflow in tuple(rows.table(ROUTE_PARTS.name)):
            if token(who) == principal:
                _compose(who, workflow, rows)


def _parts(principal: str, workflow: str, rows: Rows) -> Row:
    return rows.get(ROUTE_PARTS.name, (principal, workflow)) or {"locks": {}, "pairs": {}}


def _pinned(stored: Stored, event: LockfilePinned, rows: Rows) -> None:
    parts, lock = _parts(event.principal, event.workflow, rows), event.lockfile
    held, pairs = {**parts["locks"]}, _without_stand_ins(event, parts["pairs"], rows)
    if not event.candidate_of:
        told = lock.model_dump(mode="json", include={"fallback", "person", "owner", "channel", "when_blind"})
        held[event.agent] = told | {"skills": sorted(lock.requires.skills) or [""], "pinned": stored.sequence}
        for candidate in lock.fallback:
            if candidate.agent not in pairs:
                pairs[candidate.agent] = _pending(candidate.agent, event.lock_digest, event.agent, stands_in=True)
    else:
        pairs.pop(lock.agent, None)  # judged under its own name from now on
    pairs[event.agent] = _pending(lock.agent, event.lock_digest, event.candidate_of, stands_in=False)
    rows.put(ROUTE_PARTS.name, (event.principal, event.workflow), {**parts, "locks": held, "pairs": pairs})
    _compose(event.principal, event.workflow, rows)


def _pending(named: str, lock_digest: str, candidate_of: str, *, stands_in: bool) -> Row:
    """A pair before its first decision; `stands_in`: judged only because another agent's lock names it."""
    pair: Row = {"named": named, "candidate_of": candidate_of, "lock_digest": lock_digest, "stands_in": stands_in}
    return pair | _undecided()


def _undecided() -> Row:
    told: Row = {"verdict": "pending", "action": None, "degraded": [], "valid_from": None, "profile_digest": ""}
    told["rules"] = []
    return told | {"decision": None, "judged_through": 0, "watched": ""}


def _without_stand_ins(event: LockfilePinned | LockfileReleased, pairs: Row, rows: Rows) -> Row:
    """The pairs of a workflow but those that only the lock before this one had named."""
    left = {}
    for agent, pair in pairs.items():
        if pair["stands_in"] and pair["candidate_of"] == event.agent:
            locks.forget(event.principal, event.workflow, agent, pair["watched"], rows)
        else:
            left[agent] = pair
    return left


def _released(event: LockfileReleased, rows: Rows) -> None:
    parts = _parts(event.principal, event.workflow, rows)
    locks.released(event, (parts["pairs"].get(event.agent) or {}).get("watched", ""), rows)
    pairs = _without(_without_stand_ins(event, parts["pairs"], rows), event.agent)
    row = {**parts, "locks": _without(parts["locks"], event.agent), "pairs": pairs}
    rows.put(ROUTE_PARTS.name, (event.principal, event.workflow), row)
    _compose(event.principal, event.workflow, rows)
    if not row["pairs"]:
        rows.delete(ROUTE_PARTS.name, (event.principal, event.workflow))


def _without(held: Row, agent: str) -> Row:
    return {name: row for name, row in held.items() if name != agent}


def _decided(stored: Stored, event: ChangeDecided, rows: Rows) -> None:
    parts = _parts(event.principal, event.workflow, rows)
    pair = parts["pairs"].get(event.agent)
    if pair is None or pair["lock_digest"] != event.lock_digest:
        return  # about a lock that was released or replaced since
    locks.decided(event, rows)
    told = event.model_dump(mode="json", include=_DECIDED) | {"watched": event.watched or event.agent}
    told |= {"decision": str(stored.fact.id), "judged_through": event.considered_through, "rules": [*event.rules]}
    row = {**parts, "pairs": {**parts["pairs"], event.agent: {**pair, **told}}}
    rows.put(ROUTE_PARTS.name, (event.principal, event.workflow), row)
    _compose(event.principal, event.workflow, rows)


def _untracked(event: AgentUntracked, rows: Rows) -> None:
    """Nobody looks at the agent any more: what was decided about it holds no longer, until it is watched and judged again."""
    rows.delete(HEARD.name, (event.principal, event.agent))
    for workflow, named in locks.on(event.agent, event.principal, rows):
        parts = _parts(event.principal, workflow, rows)
        if named in parts["pairs"]:
            pairs = {**parts["pairs"], named: {**parts["pairs"][named], **_undecided()}}
            rows.put(ROUTE_PARTS.name, (event.principal, workflow), {**parts, "pairs": pairs})
            _compose(event.principal, workflow, rows)


def _heard(stored: Stored, event: CardFetched, rows: Rows) -> None:
    key = (event.principal, event.agent)
    row = rows.get(HEARD.name, key) or {"full": 0, "digests": ["", ""], "judged_through": 0}
    if unchanged(event, row["full"], row["digests"]):
        row = {**row, "judged_through": stored.sequence}
    if event.same_as is None:
        row = {**row, "full": stored.sequence, "digests": digests(event)}
    rows.put(HEARD.name, key, {**row, "at": instant(stored.fact.time)})
    for workflow in dict.fromkeys(workflow for workflow, _ in locks.on(event.agent, event.principal, rows)):
        _compose(event.principal, workflow, rows)


def _compose(principal: str, workflow: str, rows: Rows) -> None:
    """Write the routes of one workflow, and remove those of skills that no lock names any more."""
    parts = _parts(principal, workflow, rows)
    heard = {agent: _standing(principal, agent, pair, rows) for agent, pair in parts["pairs"].items()}
    routes = compose(parts["locks"], heard)
    for skill in parts.get("skills", []):
        if skill not in routes:
            rows.delete(ROUTES.name, (principal, workflow, skill))
    for skill, route in routes.items():
        row = {"principal": principal, "workflow": workflow, "skill": skill, **route}
        rows.put(ROUTES.name, (principal, workflow, skill), row)
    rows.put(ROUTE_PARTS.name, (principal, workflow), {**parts, "skills": sorted(routes)})


def _standing(principal: str, agent: str, pair: Row, rows: Rows) -> Row:
    """The pair with what was heard of its agent since."""
    names = (agent, pair["watched"] or agent)
    heard = rows.get(HEARD.name, (principal, names[1]))
    held = [row["since"] for name in names if (row := rows.get(HELD.name, (token(principal), token(name))))]
    after = _after(heard, rows)
    told = {**pair, "stale_after": after and min([after, *held], key=datetime.fromisoformat)}
    if heard is None or pair["decision"] is None:
        return told
    return {
        **told,
        "judged_through": max(pair["judged_through"], heard["judged_through"]),
    }


def _after(heard: Row | None, rows: Rows) -> str | None:
    if heard is None:
        return None
    budget = (rows.get(BUDGET.name, _BUDGET_KEY) or {"staleness_s": Policy().staleness_s})["staleness_s"]
    return instant(datetime.fromisoformat(heard["at"]) + timedelta(seconds=budget))
