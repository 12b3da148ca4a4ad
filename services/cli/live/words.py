"""What a fact says, in one line for people; all that others wrote goes through `plain`. Pure."""

import shlex
from collections.abc import Iterable, Sequence

from cardtrail.events import (
    AgentTracked,
    AgentUntracked,
    BodyRedacted,
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeAcknowledged,
    ChangeDecided,
    DeadlinePassed,
    Event,
    LockfilePinned,
    LockfileReleased,
    OwnerNotified,
    ProbeRecorded,
    ProbeStarted,
    ProfileCompiled,
    RuntimeErrorObserved,
)
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.finding import Diagnostic
from cardtrail.projections.outcome import outcome
from cardtrail.services.cli.formats.words import FINGERPRINT, counted, short_digest
from cardtrail.services.cli.live.when import exact, span
from cardtrail.services.cli.shell.console import Level, Style
from cardtrail.services.cli.shell.inputs import is_url
from cardtrail.services.cli.shell.text import plain

VERDICTS: dict[str, Level] = {"compatible": "ok", "review": "warning", "breaking": "error", "pending": "unknown"}
_BARE = Style()
_FEW, _NAME = 3, 60


def answered(event: CardFetched, *, same: bool, back: bool) -> str:
    """A card came, changed or not."""
    if same:
        status = f", HTTP {event.status}" if event.status else ""
        return f"{'answers again, ' if back else ''}unchanged{status}"
    where = " (legacy path)" if event.legacy_path else ""
    return f"{short_digest(event.raw_digest)}, {counted(event.size, 'byte')}, nothing that a call could feel{where}"


def noticed(found: Iterable[Diagnostic]) -> str:
    """`CT209 key-changed-under-same-kid, …`."""
    return ", ".join(f"{plain(one.code)} {plain(one.name)}" for one in found)


def refused(event: CardRefused, *, kept: bool) -> str:
    """`connect: timed out; last good profile kept`, where there is one to keep."""
    detail = f" ({plain(event.detail)})" if event.detail else ""
    return f"{event.stage}: {plain(event.reason)}{detail}{'; last good profile kept' if kept else ''}"


def compiled(event: ProfileCompiled, before: str, changed: Sequence[str], *, first: bool) -> str:
    """`3.2.0 → 4.0.0, changed: push, streaming`, or why it cannot be used."""
    version = plain(event.identity.version) or "no version"
    moved = version if first or plain(before) == version else f"{plain(before) or 'no version'} → {version}"
    usable = (
        "" if event.profile.usable else f", unusable: {', '.join(plain(one.code) for one in event.profile.reasons)}"
    )
    ours = {"compiler": " (a newer compiler)", "client": " (other client capabilities)"}.get(event.cause, "")
    how = ", first seen" if first else f", changed: {_named(changed)}" if changed else ""
    return f"{moved}{how}{ours}{usable}"


def _named(capabilities: Sequence[str]) -> str:
    """The capabilities as `blame` takes them, where they are few; else how many of them there are."""
    if len(capabilities) > _FEW:
        return f"{len(capabilities)} capabilities"
    return ", ".join(plain(name.removeprefix("skills."), _NAME) for name in capabilities)


def decided(event: ChangeDecided) -> str:
    """`✗ breaking, trip-planner, stop`."""
    rules = ", ".join(one.rule for one in event.findings if one.severity != "note")
    word = "recovered" if event.recovered else event.verdict
    told = f"{_BARE.marked(VERDICTS[event.verdict], word)}, {plain(event.workflow)}, {event.action}"
    return f"{told} ({rules})" if rules else told


_PASSED = {
    "grace": "the card has been unreadable for longer than the grace",
    "staleness": "no answer for longer than the staleness allows",
    "evidence": "evidence has grown too old",
    "acknowledgement": "an acceptance has ended",
    "refresh": "a look is due",
    "probe": "a probe is due",
}


def said(event: Event) -> tuple[str, str]:  # noqa: C901, PLR0911 — one case for each kind of fact
    """A word for the kind, and the rest of the line."""
    match event:
        case AgentTracked():
            return (
                "tracked",
                f"{event.target.kind} {plain(event.target.value)}, every {span(event.interval_s)}{_by(event.by)}",
            )
        case AgentUntracked():
            return "untracked", f"{plain(event.reason) or 'no reason given'}{_by(event.by)}"
        case LockfilePinned():
            needs = counted(len(event.lockfile.requires.skills), "skill")
            return "pinned", f"{plain(event.workflow)} needs {needs}{_by(event.by)}"
        case LockfileReleased():
            return "released", f"{plain(event.workflow)} {plain(event.reason)}".strip() + _by(event.by)
        case ChangeAcknowledged():
            until = f" until {plain(exact(event.until))}" if event.until else ""
            return "accepted", f"{event.fingerprint[:FINGERPRINT]} {plain(event.reason)}{until}{_by(event.by)}"
        case CardFetched():
            signed = "unsigned" if event.signature.outcome == "absent" else f"signature {event.signature.outcome}"
            return event.kind, "unchanged" if event.same_as is not None else f"answered, {signed}"
        case ProbeStarted() | ProbeRecorded():
            held = f"{event.outcome} {plain(event.reason)}".strip() if isinstance(event, ProbeRecorded) else "started"
            return "probe", f"{claim(event.claim)}: {held}"
        case RuntimeErrorObserved():
            against = f"contradicts {claim(event.contradicts)}" if event.contradicts else "contradicts no claim"
            whose = "" if event.attribution == "unknown" else f" ({event.attribution})"
            return "error", f"{plain(event.operation)}: {plain(event.error)}, {plain(event.workflow)}; {against}{whose}"
        case CallsCounted():
            return "calls", f"{plain(event.operation)}: {event.errors} of {event.calls} failed, {plain(event.workflow)}"
        case DeadlinePassed():
            return "time", _PASSED[event.what]
        case BodyRedacted():
            return "deleted", f"card {short_digest(event.raw_digest)}: {plain(event.reason)}{_by(event.by)}"
        case OwnerNotified():
            return "notified", f"{plain(event.workflow)} on {plain(event.channel)} {plain(event.problem)}".rstrip()
    return event.kind, " ".join(plain(part) for part in outcome(event) if part)


def claim(about: Claim) -> str:
    """`input-mode itinerary-pricing application/json`."""
    return " ".join(plain(part) for part in (about.kind, about.skill, about.value) if part)


def tracking(agent: str) -> str:
    """The command that has an agent watched under the name that a lock gives it, which may be where it is."""
    name = shlex.quote(agent)
    return f"cardtrail track {name}" if is_url(agent) else f"cardtrail track TARGET --name {name}"


def _by(who: str) -> str:
    return f", by {plain(who)}" if who else ""
