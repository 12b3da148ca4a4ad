"""One decision: can or cannot, instead whom, and per finding why, since when, on what it rests, and what would end it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from cardtrail.events import ChangeDecided, Stored
from cardtrail.events.fact import instant
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Row
from cardtrail.services.audit.stands import stood
from cardtrail.services.cli.outputs.status import Accepted
from cardtrail.services.verdict.rules import RULES
from cardtrail.services.web.past import Past

_ORDER = ("breaking", "review", "note")
_CAN = {
    "allow": ("yes", "New delegations may go there."),
    "allow-degraded": ("partly", "New delegations may go there, with less."),
    "probe": ("partly", "New delegations may go there; it is probed now and the owner is told."),
    "stop": ("no", "New delegations stop. Tasks that run go on."),
}
_STANDS = {
    "breaking": "Ends when the agent offers it again, or when a new lock needs less. Nobody can acknowledge it away.",
    "review": "Ends when the agent offers it again, when a new lock says it is meant, or while somebody acknowledges it.",
    "note": "Nothing to do.",
}


class FindingView(Value):
    """A finding with its rule's documentation; `evidence` are sequences, `first_seen` RFC 3339, `do` what the rule advises."""

    rule: str
    severity: str
    title: str
    why: str
    do: str
    ends: str
    subject: str
    path: str
    message: str
    hint: str
    needs: Any
    before: Any
    after: Any
    first_seen: str
    fingerprint: str
    evidence: tuple[int, ...]
    acknowledged: Accepted | None


class Cause(Value):
    """A fact that led here, `card` the observation with the raw card behind it."""

    sequence: int
    kind: str
    card: int | None


class Instead(Value):
    """One candidate of a route now: whom, for which skill, how judged by which rules; `chosen` takes over."""

    skill: str
    agent: str
    own_skill: str
    verdict: str
    usable: bool
    chosen: bool
    rules: tuple[str, ...] = ()


class DecisionView(Value):
    """The page. `can` is yes, partly or no; `current` while no later decision about the same lock stands.

    `since` is when its verdict began, `action_since` when its action did, `valid_from` when this decision was made.
    """

    format: str = "cardtrail.page.decision/1"
    id: str
    sequence: int
    stored_at: str
    through: int
    agent: str
    principal: str
    workflow: str
    verdict: str
    previous: str | None
    recovered: bool
    action: str
    can: str
    sentence: str
    degraded: tuple[str, ...]
    owner: str
    valid_from: str
    since: str
    action_since: str
    cause: str
    current: bool
    later: str
    findings: tuple[FindingView, ...]
    instead: tuple[Instead, ...]
    person: str
    causes: tuple[Cause, ...]
    rules_version: str
    policy_digest: str
    lock_digest: str
    profile_digest: str
    agent_version: str


def decision_view(past: Past, stored: Stored, event: ChangeDecided, routes: Sequence[Row]) -> DecisionView:
    """The decision as the agent's own past explains it; `routes` are those of its workflow now, () where unknown."""
    same = [held for held in past.decisions if held[1].workflow == event.workflow]
    later = next((held for held in same if held[0].sequence > stored.sequence), None)
    accepted = {} if later else _accepted(past, event)
    can, sentence = _CAN[event.action]
    carried = event.model_dump(
        include=set(DecisionView.model_fields) & set(ChangeDecided.model_fields) - {"findings", "causes"}
    )
    earlier = (one for held, one in same if one.agent == event.agent and held.sequence < stored.sequence)
    began = stood(earlier, event)
    found = [_finding(one, past, same, stored, accepted) for one in event.findings]
    return DecisionView(
        **carried,
        since=began.verdict_since,
        action_since=began.action_since,
        id=str(stored.fact.id),
        sequence=stored.sequence,
        stored_at=instant(stored.stored_at),
        through=past.through,
        can=can,
        sentence=sentence,
        current=later is None,
        later=str(later[0].fact.id) if later else "",
        findings=tuple(sorted(found, key=lambda one: _ORDER.index(one.severity))),
        instead=() if later else tuple(_instead(routes, event.agent)),
        person=next((row["person"] for row in routes if row["person"]), ""),
        causes=tuple(_causes(past, event, stored.fact.causation)),
    )


def _finding(
    one: Finding, past: Past, same: Sequence[tuple[Stored, ChangeDecided]], stored: Stored, accepted: Mapping[str, Any]
) -> FindingView:
    rule = RULES.get(one.rule)
    why, _, do = (rule.explanation if rule else "").partition("Do: ")
    kept = one.model_dump(include=set(FindingView.model_fields) & set(Finding.model_fields) - {"evidence"})
    return FindingView(
        **kept,
        title=rule.title if rule else one.rule,
        why=why.strip(),
        do=do.strip(),
        ends=_STANDS[one.severity],
        first_seen=_first_seen(one.fingerprint, same, stored.sequence),
        evidence=tuple(place for text in one.evidence if (place := _place(past, text)) is not None),
        acknowledged=accepted.get(one.fingerprint),
    )


def _first_seen(fingerprint: str, same: Sequence[tuple[Stored, ChangeDecided]], through: int) -> str:
    """When the unbroken run of decisions that have this finding began."""
    first = ""
    for stored, event in same:
        if stored.sequence > through:
            break
        has = any(one.fingerprint == fingerprint for one in event.findings)
        first = (first or event.valid_from) if has else ""
    return first


def _accepted(past: Past, event: ChangeDecided) -> dict[str, Any]:
    row = past.rows.get("lockfile_status", (event.principal, event.workflow, event.agent)) or {"findings": []}
    return {finding["fingerprint"]: finding["acknowledged"] for finding in row["findings"]}


def _instead(routes: Sequence[Row], agent: str) -> list[Instead]:
    return [
        Instead(
            skill=row["skill"],
            agent=candidate["agent"],
            own_skill=candidate["skill"],
            verdict=candidate["verdict"],
            usable=candidate["usable"],
            chosen=candidate["agent"] == row["use"],
            rules=tuple(candidate.get("rules", ())),
        )
        for row in routes
        if any(candidate["agent"] == agent for candidate in row["candidates"])
        for candidate in row["candidates"]
        if candidate["agent"] != agent
    ]


def _causes(past: Past, event: ChangeDecided, causation: UUID | None) -> list[Cause]:
    ids = dict.fromkeys((*event.causes, *((causation,) if causation else ())))
    cards = {sequence: profile.card_sequence for sequence, profile in past.profiles}
    full = {sequence for sequence, _ in past.cards}
    found = [past.places[one] for one in ids if one in past.places]
    return [
        Cause(sequence=at, kind=past.kinds[at], card=cards.get(at, at if at in full else None)) for at in sorted(found)
    ]


def _place(past: Past, text: str) -> int | None:
    try:
        return past.places.get(UUID(text))
    except ValueError:
        return None
