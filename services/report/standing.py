"""How quick agents are, whether they sign, and how locks on them stand at the end of the log. Pure."""

from collections import defaultdict
from itertools import pairwise

from cardtrail.services.report.fleet import Fleet
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import LatencyLine, LockLine, TrustLine
from cardtrail.services.report.rows import Signature
from cardtrail.services.report.statistics import FEW_TIMES

_WORST = ("breaking", "review", "pending", "compatible")
_VERIFIED, _NOBODY = '"verified"', {"null", '""'}


def latency(held: Material, fleet: Fleet) -> tuple[LatencyLine, ...]:
    """Of each agent's card (operation ""), then of calls by operation."""
    cards = [
        LatencyLine(
            provider=fleet.provider_of[row.agent],
            agent=row.agent,
            operation="",
            cases=row.answers,
            p50_ms=row.p50_ms,
            p95_ms=row.p95_ms,
            p99_ms=row.p99_ms,
            few=row.answers < FEW_TIMES,
        )
        for row in held.latency
        if row.agent in fleet
    ]
    calls = [
        LatencyLine(
            provider=fleet.provider_of[row.agent],
            agent=row.agent,
            operation=row.operation,
            cases=row.minutes,
            p50_ms=row.p50_ms,
            p95_ms=row.worst_p95_ms,
            p99_ms=None,
            few=row.minutes < FEW_TIMES,
        )
        for row in held.calls
        if row.agent in fleet
    ]
    return tuple(sorted([*cards, *calls], key=lambda one: (one.operation, -(one.p95_ms or 0), one.provider, one.agent)))


def trust(held: Material, fleet: Fleet) -> tuple[TrustLine, ...]:
    """Time with a verified signature, of agents that ever had one, and how often a signer gave way to another."""
    seen: dict[str, list[Signature]] = defaultdict(list)
    for row in held.signatures:
        seen[row.agent].append(row)

    def line(provider: str, agent: str, about: list[str]) -> TrustLine | None:
        rows = [row for name in about for row in seen[name]]
        spans = [(row, _length(held, row)) for row in rows if row.capability == "signature"]
        signed = sum(length for row, length in spans if row.value == _VERIFIED)
        if not signed:
            return None
        changes = sum(_key_changes(seen[name], held) for name in about)
        whole = sum(length for _, length in spans)
        return TrustLine(provider=provider, agent=agent, seen_s=whole, signed_s=signed, key_changes=changes)

    return tuple(fleet.lines(line))


def locks(held: Material, fleet: Fleet) -> tuple[LockLine, ...]:
    """Every lock as it stands at the end of the log, worst first."""
    named = {event.named: event.agent for event in held.locks}
    found = [
        LockLine(
            provider=fleet.provider_of[watched],
            agent=watched,
            workflow=row.workflow,
            verdict=row.verdict,
            action=row.action,
            standing_s=max(int((held.ended - row.since).total_seconds()), 0),
            findings=row.findings,
            evidence_s=max(int((held.ended - row.evidence_at).total_seconds()), 0) if row.evidence_at else None,
            owner=row.owner,
        )
        for row in held.status
        for watched in [named.get(row.agent, row.agent)]
        if watched in fleet
    ]
    return tuple(sorted(found, key=lambda one: (_WORST.index(one.verdict), one.workflow, one.agent)))


def _length(held: Material, row: Signature) -> int:
    ended = row.ended_by or held.ended
    return max(int((ended - max(row.first_seen, held.since)).total_seconds()), 0)


def _key_changes(rows: list[Signature], held: Material) -> int:
    signers = [row for row in rows if row.capability == "signer" and row.value not in _NOBODY]
    return sum(old.value != new.value and new.first_seen >= held.since for old, new in pairwise(signers))
