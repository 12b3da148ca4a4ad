"""What a report is made of, read once from the archive."""

import hashlib
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from cardtrail.projections.store_reader import Reader
from cardtrail.services.report.questions import QUESTIONS
from cardtrail.services.report.rows import (
    Agent,
    Broken,
    Calls,
    Changed,
    Claimed,
    Day,
    Delegated,
    Demand,
    Failing,
    Latency,
    LockEvent,
    Outage,
    Proof,
    Signature,
    Span,
    Standing,
)

_ROWS = 2_000_000
_SECONDS = 600.0
T = TypeVar("T", bound=tuple[Any, ...])


class Material(NamedTuple):
    """All of it, of one principal; `since` to `ended` is what is counted."""

    principal: str
    first: int
    through: int
    facts: int
    began: datetime
    ended: datetime
    since: datetime
    digest: str
    checkpoint: tuple[str, int, int] | None
    rules_versions: tuple[str, ...]
    agents: list[Agent]
    days: list[Day]
    outages: list[Outage]
    claims: list[Claimed]
    errors: list[Failing]
    watched_s: dict[str, int]
    changes: list[Changed]
    announced: dict[str, datetime]
    breaks: list[Broken]
    locks: list[LockEvent]
    delegations: list[Delegated]
    proofs: list[Proof]
    demands: list[Demand]
    latency: list[Latency]
    calls: list[Calls]
    signatures: list[Signature]
    status: list[Standing]


def material(reader: Reader, principal: str, since: datetime | None) -> Material | None:
    """Read it; the reader counts from `since` on afterwards, too. None where the log is empty.

    Raises:
        QueryRefused: it takes longer than ten minutes or more memory than the reader may have.
    """
    (first, through, facts, began, ended), *_ = _rows(reader, "log")
    if began is None:
        return None
    if since is not None:
        reader.count_from(since)
    ask = _Asking(reader, principal)
    checkpoints = _rows(reader, "checkpoint")
    return Material(
        principal=principal,
        first=first,
        through=through,
        facts=facts,
        began=began,
        ended=ended,
        since=max(since, began) if since else began,
        digest=log_digest(reader),
        checkpoint=checkpoints[0] if checkpoints else None,
        rules_versions=tuple(row[0] for row in ask.rows("rules")),
        agents=ask.of(Agent, "agents"),
        days=ask.of(Day, "availability"),
        outages=ask.of(Outage, "outages"),
        claims=ask.of(Claimed, "claims"),
        errors=ask.of(Failing, "errors"),
        watched_s=dict(ask.rows("watched")),
        changes=ask.of(Changed, "changes"),
        announced=dict(ask.rows("announced")),
        breaks=ask.of(Broken, "breaks"),
        locks=ask.of(LockEvent, "locks"),
        delegations=ask.of(Delegated, "delegations"),
        proofs=ask.of(Proof, "proofs"),
        demands=[Demand(*row) for row in _rows(reader, "demands")],
        latency=ask.of(Latency, "latency"),
        calls=ask.of(Calls, "calls"),
        signatures=ask.of(Signature, "signatures"),
        status=ask.of(Standing, "status"),
    )


def spans(reader: Reader, principal: str, agents: list[str]) -> list[Span]:
    """Every value of every capability of these agents."""
    found = reader.query(QUESTIONS["spans"], {"principal": principal, "agents": agents}, rows=_ROWS, seconds=_SECONDS)
    return [Span(*map(_aware, row)) for row in found.rows]


def log_digest(reader: Reader) -> str:
    """`sha256:` over place and bytes of every fact in stream order: it names the log, and seeds what is left to chance."""
    summed = hashlib.sha256()
    for sequence, digest in reader.stream("SELECT sequence, sha256(event) FROM history ORDER BY sequence"):
        summed.update(f"{sequence} {digest}\n".encode())
    return f"sha256:{summed.hexdigest()}"


class _Asking:
    def __init__(self, reader: Reader, principal: str) -> None:
        self._reader, self._principal = reader, principal

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        return _rows(self._reader, name, {"principal": self._principal})

    def of(self, made: type[T], name: str) -> list[T]:
        return [made(*row) for row in self.rows(name)]


def _rows(reader: Reader, name: str, values: dict[str, object] | None = None) -> list[tuple[Any, ...]]:
    found = reader.query(QUESTIONS[name], values or {}, rows=_ROWS, seconds=_SECONDS)
    return [tuple(map(_aware, row)) for row in found.rows]


def _aware(value: Any) -> Any:  # noqa: ANN401 — a value of any SQL type
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
