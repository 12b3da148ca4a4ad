"""The SQL that says a table of the page again, over the documented views: to be copied, changed and run. Pure.

What it names is quoted: names come from locks, settings and whoever wrote the address.
"""

from collections.abc import Iterable

from cardtrail.services.web.asked import Asked

_COLUMNS = {
    "verdict": "coalesce(verdict, 'unlocked')",
    "owner": "owner",
    "workflow": "workflow",
    "provider": "provider",
}


def fleet_sql(given: Asked) -> str:
    """The fleet as it is now, by the filters that SQL can see; the others are named in a comment."""
    chosen = [(column, sorted(given.many(name))) for name, column in _COLUMNS.items()]
    filters = [f"  AND {column} IN ({_listed(values)})" for column, values in chosen if values]
    left = [name for name in ("heard", "rule", "q") if given.one(name)]
    return "\n".join(
        (
            "WITH locks AS (",
            "  SELECT l.principal, l.workflow, l.agent, l.verdict, l.since, l.owner, l.evidence_at,",
            "    coalesce(d.watched, l.agent) AS watched",
            "  FROM lockfile_status l LEFT JOIN decisions d ON d.id = try_cast(l.decision AS UUID)",
            "  UNION ALL  -- fallbacks without a lock of their own, as last decided under the lock in force",
            "  SELECT d.principal, d.workflow, d.agent, d.verdict, d.valid_from, d.owner, NULL, d.watched",
            "  FROM decisions d SEMI JOIN lockfile_status l",
            "    ON (l.principal, l.workflow, l.lock_digest) = (d.principal, d.workflow, d.lock_digest)",
            "  ANTI JOIN lockfile_status o ON (o.principal, o.workflow, o.agent) = (d.principal, d.workflow, d.agent)",
            "  WHERE NOT d.late",
            "  QUALIFY row_number() OVER (PARTITION BY d.principal, d.workflow, d.agent ORDER BY d.sequence DESC) = 1",
            "), open AS (",
            "  SELECT principal, workflow, agent, count(*) AS open FROM open_findings",
            "  WHERE severity <> 'note' AND acknowledged_by IS NULL GROUP BY ALL",
            ")",
            "SELECT coalesce(l.verdict, 'unlocked') AS verdict, coalesce(a.agent, l.agent) AS agent, l.workflow,",
            "  l.since, l.owner, coalesce(o.open, 0) AS open, l.evidence_at, a.last_success AS card_at",
            "FROM agents a",
            "FULL JOIN locks l ON l.principal = a.principal AND l.watched = a.agent",
            "LEFT JOIN open o ON (o.principal, o.workflow, o.agent) = (l.principal, l.workflow, l.agent)",
            f"WHERE coalesce(a.principal, l.principal) = {literal(given.principal)} AND (a.tracked OR l.workflow IS NOT NULL)",
            *filters,
            "ORDER BY list_position(['breaking', 'review', 'pending', 'compatible', 'unlocked'], verdict), workflow, agent",
            *([f"-- not in it: the filters by {', '.join(left)}"] if left else []),
        )
    )


def timeline_sql(agent: str, principal: str, start: str, end: str, through: int) -> str:
    """The spans that touch a range, as the log had them at a sequence."""
    ended = f"CASE WHEN closed_sequence <= {through} THEN ended_by END"
    return "\n".join(
        (
            f"SELECT capability, value, first_seen, {ended} AS ended_by,",
            "  opened_from, opened_sequence AS fact",
            "FROM capability_spans",
            f"WHERE principal = {literal(principal)} AND agent = {literal(agent)}",
            f"  AND opened_sequence <= {through}",
            f"  AND first_seen <= TIMESTAMP {literal(_naive(end))}",
            f"  AND coalesce({ended}, 'infinity') >= TIMESTAMP {literal(_naive(start))}",
            "ORDER BY capability, first_seen",
        )
    )


def story_sql(agent: str, principal: str) -> str:
    """Every fact about an agent, newest first, unchanged answers left out."""
    return "\n".join(
        (
            "SELECT sequence, time, kind, workflow, outcome, detail, source",
            "FROM history",
            f"WHERE principal = {literal(principal)} AND agent = {literal(agent)}",
            "  AND outcome IS DISTINCT FROM 'unchanged'",
            "ORDER BY sequence DESC",
        )
    )


def rules_sql(principal: str) -> str:
    """How often each rule stands open."""
    return "\n".join(
        (
            "SELECT rule, severity, count(*) AS open, count(DISTINCT agent) AS agents",
            "FROM open_findings",
            f"WHERE principal = {literal(principal)} AND acknowledged_by IS NULL",
            "GROUP BY ALL ORDER BY open DESC, rule",
        )
    )


def literal(text: str) -> str:
    """A string as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def _listed(values: Iterable[str]) -> str:
    return ", ".join(map(literal, values))


def _naive(instant: str) -> str:
    """The views' TIMESTAMP is UTC without saying so."""
    return instant.removesuffix("Z").replace("T", " ")
