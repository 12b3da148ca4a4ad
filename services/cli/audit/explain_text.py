"""`explain` for the person a verdict stops: what, since when, why, on what it rests, down to the card's own line."""

from collections.abc import Iterator
from datetime import datetime

from cardtrail.events import CardFetched, Event, ProfileCompiled
from cardtrail.events.fact import dump
from cardtrail.events.upcast import decode
from cardtrail.services.audit.card_place import CardPlace
from cardtrail.services.audit.explain import Reason
from cardtrail.services.audit.shown_by import FLAPPING
from cardtrail.services.audit.stands import Stands
from cardtrail.services.cli.audit.blame_text import fact
from cardtrail.services.cli.formats.report import MARKS
from cardtrail.services.cli.formats.words import FINGERPRINT, counted, short_digest
from cardtrail.services.cli.live.status_text import agent
from cardtrail.services.cli.live.turns import looks
from cardtrail.services.cli.live.when import clock, exact
from cardtrail.services.cli.live.words import VERDICTS, said
from cardtrail.services.cli.outputs.explain import ExplainedCause, ExplainOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain, shown

_IN = " " * 12
_NAME, _ROLE = 9, 9


def lines(found: ExplainOutput, style: Style, now: datetime) -> Iterator[str]:
    """The decision, each finding, the facts it rests on, what to ask next."""
    yield from _head(found, style, now)
    for reason in found.reasons:
        yield from _reason(reason, found, style, now)
    yield "rests on, newest first:"
    for cause in found.causes:
        yield _cause(cause, style, now)
    for name in found.missing:
        yield f"{_IN}{name}: not on this log"
    for other in found.beside:
        word = style.marked(VERDICTS[other.verdict], other.verdict)
        yield f"beside it   {agent(other.agent, other.principal)}  {word}: cardtrail explain {other.sequence}"
    yield _next(found)


def _head(found: ExplainOutput, style: Style, now: datetime) -> Iterator[str]:
    """The verdict since when it stands, then what follows from it, and this decision at its own time."""
    told, verdict = found.decision, style.marked(VERDICTS[found.decision.verdict], found.decision.verdict)
    since = found.stands or Stands(verdict_since=told.valid_from, action_since=told.valid_from, was=told.previous)
    begun, acted, at = (_at(one, style, now) for one in (since.verdict_since, since.action_since, told.valid_from))
    was = f", was {since.was}" if since.was else ""
    yield f"{verdict}  {plain(told.workflow)} × {agent(told.agent, told.principal)}  since {begun}{was}"
    follows = f"{told.action} since {acted}" if acted != begun else told.action
    yield f"{follows} · decided {at}, brought by {told.cause}  fact {fact(found.sequence, found.id)}"
    owner = f"owner {plain(told.owner)} · " if told.owner else ""
    policy = short_digest(told.policy_digest)
    yield f"{owner}rules {told.rules_version} · policy {policy} · knows to fact {told.considered_through}"
    if found.superseded_by is not None:
        yield f"superseded by fact {found.superseded_by}: cardtrail explain {found.superseded_by}"


def _at(told: object, style: Style, now: datetime) -> str:
    return clock(datetime.fromisoformat(str(told)), now, terminal=bool(style.columns))


def _reason(reason: Reason, found: ExplainOutput, style: Style, now: datetime) -> Iterator[str]:
    one = reason.finding
    word = style.marked(MARKS[one.severity], one.severity, len(_IN) - 2)
    yield f"{word}  {plain(one.rule)}  {plain(one.subject)}  {one.fingerprint[:FINGERPRINT]}"
    if reason.title:
        yield f"{_IN}{padded('why', _NAME)}{reason.title}."
    turns = reason.look is not None or found.turning is not None
    after = "seen" if turns else "now"  # while cards take turns, the one served now may be another
    for name, value in (("needs", one.needs), ("before", one.before), (after, one.after)):
        if value is not None or (name == after and one.before is not None):
            place = {"before": reason.before, after: reason.now}.get(name)
            yield f"{_IN}{padded(name, _NAME)}{shown(value)}{_place(place)}"
    if one.needs is None and one.before is None and one.after is None:
        yield f"{_IN}{padded('what', _NAME)}{plain(one.message, 500)}"
    if reason.since != found.sequence:
        at = _at(reason.since_at, style, now)
        yield f"{_IN}{padded('since', _NAME)}{at}, fact {reason.since}"
    if reason.look is not None:
        yield f"{_IN}{padded('look', _NAME)}fact {reason.look}, not the newest: cards take turns, the worst stands"
    if one.rule == FLAPPING and found.turning is not None:
        yield f"{_IN}{padded('looks', _NAME)}{looks(found.turning)}"
    if reason.accepted is not None:
        until = f" until {plain(exact(reason.accepted.until))}" if reason.accepted.until else ""
        yield f"{_IN}{padded('accepted', _NAME)}by {plain(reason.accepted.by)}{until}: {plain(reason.accepted.reason)}"
    if one.hint:
        yield f"{_IN}{padded('hint', _NAME)}{plain(one.hint, 500)}"


def _place(place: CardPlace | None) -> str:
    """`  card 4ac0…e2 14:26 $.skills[0].outputModes`."""
    if place is None:
        return ""
    where = f"{place.line}:{place.column} " if place.there else ""
    ending = "" if place.there else " (not in it)" if place.kept else " (body not kept)"
    return f"  card {short_digest(place.card_digest)} {where}{plain(place.path)}{ending}"


def _cause(cause: ExplainedCause, style: Style, now: datetime) -> str:
    event = decode(dump(cause.fact))
    at, (word, told) = _at(cause.fact["time"], style, now), _said(event.data)
    role = word if cause.role == "other" else cause.role
    return f"{_IN}{padded(role, _ROLE)} {at}  fact {fact(cause.sequence, event.id)}  {told}".rstrip()


def _said(event: Event) -> tuple[str, str]:
    """A word for the kind, which stands where it has no role of its own (`accepted`, `time`), and the rest of the line."""
    match event:
        case ProfileCompiled():
            version, card = plain(event.identity.version) or "no version", short_digest(event.card_digest)
            return "profile", f"{version}, compiled from card {card}"
        case CardFetched(same_as=None):
            how = f", HTTP {event.status}" if event.status else ""  # a file answers nothing
            size = f"{counted(event.size, 'byte')}{how}"
            return "card", f"card {short_digest(event.raw_digest)}, {size}, {plain(event.location)}"
        case CardFetched():
            return "card", f"unchanged since fact {event.same_as}{f', HTTP {event.status}' if event.status else ''}"
    return said(event)


def _next(found: ExplainOutput) -> str:
    rules = dict.fromkeys(one.finding.rule for one in found.reasons if one.finding.severity != "note")
    first = next(iter(rules), "")
    asks = [f"cardtrail rules {first}"] if first else []
    return "next: " + " · ".join([*asks, f"cardtrail blame {plain(found.agent)}", f"cardtrail prove {found.sequence}"])
