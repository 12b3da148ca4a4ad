"""Puts a report together: what an open reader of the archive holds about one principal's agents, all or one provider's."""

from datetime import datetime
from typing import Any

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.projections.store_reader import Reader
from cardtrail.services.report import availability, changes, claims, notice, recovery, standing, stops, trails, verified
from cardtrail.services.report.fleet import Fleet, ranks
from cardtrail.services.report.material import Material, material, spans
from cardtrail.services.report.model import AvailabilityLine, ChangeLine, ClaimLine, CostLine, ProviderLine
from cardtrail.services.report.questions import QUESTIONS
from cardtrail.services.report.report import Checkpoint, Report
from cardtrail.services.report.shares import share_of
from cardtrail.services.report.summary import sentences

WRITTEN = "-o report.html"
"""Where the command that a report names writes it: which file was asked for does not change its bytes."""


def build(reader: Reader, *, provider: str, principal: str, since: datetime | None, release: str) -> Report:
    """The report.

    Raises:
        UsageError: `log-empty`; `provider-unknown`, nobody of this principal's agents is theirs; `since-future`.
    """
    held = material(reader, principal, since)
    if held is None:
        raise UsageError("log-empty", "the log holds no fact yet", hint="cardtrail track TARGET")
    if held.since > held.ended:
        raise UsageError("since-future", f"the log ends before, at {instant(held.ended)}", hint="--since 90d")
    fleet = Fleet(held.agents, provider)
    if not fleet.provider_of:
        known = sorted({one.provider for one in held.agents})
        hint = f"one of {', '.join(known[:8])}" if known else "cardtrail agents"
        raise UsageError(
            "provider-unknown", f'"{provider}" has no agent here' if provider else "no agent is known", hint=hint
        )
    report = _measured(reader, held, fleet, provider, release)
    return report.model_copy(update={"sentences": sentences(report)})


def _measured(reader: Reader, held: Material, fleet: Fleet, provider: str, release: str) -> Report:
    measured: dict[str, Any] = {
        "availability": availability.availability(held, fleet),
        "days": availability.days(held, fleet),
        "claims": claims.claims(held, fleet),
        "evidence": verified.evidence(held, fleet),
        "errors": claims.errors(held, fleet),
        "changes": changes.changes(held, fleet),
        "weeks": changes.weeks(held, fleet),
        "notices": notice.notices(held, fleet),
        "detection": changes.detection(held, fleet),
        "latency": standing.latency(held, fleet),
        "trust": standing.trust(held, fleet),
        "cost": stops.cost(held, fleet),
        "locks": standing.locks(held, fleet),
    }
    measured["notice_shares"] = notice.notice_shares(measured["notices"])
    measured["recovery"], measured["curve"] = recovery.recovery(held, fleet)
    changed = trails.most_changed(held, fleet)
    measured["trails"] = trails.trails(held, fleet, changed, spans(reader, held.principal, list(changed)))
    return Report(**_head(held, provider, release), **measured, providers=_providers(fleet, measured), sentences=())


def _head(held: Material, provider: str, release: str) -> dict[str, Any]:
    root = held.checkpoint
    return {
        "format": "cardtrail.report/1",
        "release": release,
        "provider": provider,
        "principal": held.principal,
        "since": instant(held.since),
        "until": instant(held.ended),
        "first": held.first,
        "through": held.through,
        "facts": held.facts,
        "log_digest": held.digest,
        "checkpoint": Checkpoint(root=root[0], size=root[1], through=root[2]) if root else None,
        "rules_versions": held.rules_versions,
        "command": _command(held, provider),
        "questions": QUESTIONS,
    }


def _command(held: Material, provider: str) -> str:
    """What gives the same bytes again, from this log or a longer one."""
    words = ["cardtrail report"]
    words += [f"--provider {_quoted(provider)}"] if provider else []
    words += [f"--principal {_quoted(held.principal)}"] if held.principal != "public" else []
    words += [f"--since {instant(held.since)}"] if held.since != held.began else []
    return " ".join([*words, f"--through {held.through}", WRITTEN])


def _quoted(text: str) -> str:
    safe = text and all(character.isalnum() or character in "._-@:/" for character in text)
    return text if safe else "'" + text.replace("'", "'\"'\"'") + "'"


def _providers(fleet: Fleet, measured: dict[str, Any]) -> tuple[ProviderLine, ...]:
    up: dict[str, AvailabilityLine] = _whole(fleet, measured["availability"])
    kept: dict[str, ClaimLine] = _whole(fleet, [line for line in measured["claims"] if not line.claim])
    moved: dict[str, ChangeLine] = _whole(fleet, measured["changes"])
    cost: dict[str, CostLine] = _whole(fleet, measured["cost"])
    nothing = share_of([])
    shares = {name: kept[name].kept if name in kept else nothing for name in fleet.agents_of}
    places = ranks({name: None if share.few else share.low for name, share in shares.items()})
    lines = [
        ProviderLine(
            rank=places.get(name),
            provider=name,
            agents=len(agents),
            availability=up[name],
            kept=shares[name],
            changes=moved[name].changes,
            breaks=moved[name].breaks,
            stopped_s=cost[name].stopped_s if name in cost else 0,
        )
        for name, agents in fleet.agents_of.items()
    ]
    return tuple(sorted(lines, key=_order))


def _order(line: ProviderLine) -> tuple[bool, float, str]:
    return line.rank is None, -(line.kept.low or 0.0), line.provider


def _whole(fleet: Fleet, lines: Any) -> dict[str, Any]:  # noqa: ANN401 — lines of one kind, by provider
    """The line of each provider: of its agents together, or of its only one."""
    return {line.provider: line for line in lines if not line.agent or len(fleet.agents_of[line.provider]) == 1}
