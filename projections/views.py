"""The documented views over the store, as SQL: stable names and columns for analysts.

All times are UTC timestamps; shares lie between 0 and 1; facts that came `late`, behind newer ones, are shown where facts are
listed and left out wherever something is counted. What is counted is counted from the session variable `since` on, where one is
set (`SET VARIABLE since = TIMESTAMP '2026-10-01'`), else from the beginning.
"""

from cardtrail.projections.availability_views import AVAILABILITY
from cardtrail.projections.change_views import CHANGES
from cardtrail.projections.fact_views import FACTS, HISTORY
from cardtrail.projections.intervals import macros
from cardtrail.projections.reliability_views import RELIABILITY
from cardtrail.projections.view import View

SITES = "CREATE TABLE sites (host VARCHAR PRIMARY KEY, site VARCHAR NOT NULL)"
"""Which site a host belongs to: filled by whoever makes a snapshot, for SQL has no public suffix list."""
_SINCE = "CREATE MACRO since() AS coalesce(getvariable('since')::TIMESTAMP, TIMESTAMP '0001-01-01')"
_HOST = """CREATE MACRO host_of(place) AS CASE WHEN NOT contains(place, '://') OR starts_with(place, 'http') THEN
    nullif(regexp_extract(lower(place), '^(?:https?://)?(?:[^/@]*@)?(\\[[^\\]]*\\]|[^/:?#]+)', 1), '') END"""

_LOG = """
SELECT coalesce(min(sequence), 0)::UBIGINT AS first, coalesce(max(sequence), 0)::UBIGINT AS through, count(*) AS facts,
       min(stored_at) AS began, max(stored_at) AS ended
FROM history
"""

_AGENTS = """
WITH told AS (
    SELECT principal, agent,
           CASE WHEN event->>'$.data.target.kind' IN ('domain', 'base-url', 'card-url') THEN detail END AS target
    FROM history WHERE kind = 'agent-tracked'
    QUALIFY row_number() OVER (PARTITION BY principal, agent ORDER BY sequence DESC) = 1
), known AS (
    SELECT fresh.key, fresh.value AS fresh,
           host_of(coalesce(nullif(fresh.value->>'location', ''), told.target)) AS host
    FROM kept fresh LEFT JOIN told ON told.principal = fresh.value->>'principal' AND told.agent = fresh.value->>'agent'
    WHERE fresh.name = 'freshness'
)
SELECT fresh->>'principal' AS principal, fresh->>'agent' AS agent,
       coalesce(nullif(fresh->>'provider', ''), sites.site, fresh->>'agent') AS provider,
       (fresh->>'tracked')::BOOLEAN AS tracked, fresh->>'source_kind' AS source_kind,
       TRY_CAST(fresh->>'interval_s' AS INTEGER) AS interval_s,
       (profile.value->>'usable')::BOOLEAN AS usable,
       profile.value->>'$.identity.version' AS version, profile.value->>'$.identity.signature' AS signature,
       profile.value->>'$.profile.interface.binding' AS binding, profile.value->>'$.profile.interface.version' AS protocol,
       profile.value->>'profile_digest' AS profile_digest,
       (fresh->>'last_success')::TIMESTAMP AS last_success,
       (fresh->>'last_confirmed')::TIMESTAMP AS last_confirmed,
       (fresh->>'last_asserted')::TIMESTAMP AS last_asserted,
       fresh->>'$.trouble.kind' AS trouble, (fresh->>'$.trouble.since')::TIMESTAMP AS trouble_since,
       fresh->>'$.trouble.reason' AS trouble_reason,
       (fresh->>'judged_through')::UBIGINT AS judged_through, known.host, nullif(fresh->>'provider', '') AS label
FROM known LEFT JOIN sites USING (host) LEFT JOIN kept profile ON profile.name = 'current_profile' AND profile.key = known.key
"""

_SPANS = """
WITH held AS (
    SELECT spans.value->>'principal' AS principal, spans.value->>'agent' AS agent, each.key AS capability,
           each.value->>0 AS value, spans.value->'openings'->((each.value->>1)::INTEGER) AS opening, seen.value AS seen
    FROM kept spans JOIN kept seen ON seen.name = 'sightings' AND seen.key = spans.key,
         json_each(spans.value, '$.values') each
    WHERE spans.name = 'open_spans' AND spans.value->>'state' = 'open'
)
SELECT principal, agent, capability, value, opened_from, first_seen, last_confirmed, last_asserted, ended_by, ending,
       opened_cause, closed_cause, opened_fact, closed_fact, opened_sequence, closed_sequence
FROM closed_spans
UNION ALL
SELECT principal, agent, capability, value, make_timestamp((opening->>'from')::BIGINT), make_timestamp((opening->>'at')::BIGINT),
       CASE WHEN (seen->>'confirmed')::BIGINT >= (opening->>'at')::BIGINT THEN make_timestamp((seen->>'confirmed')::BIGINT) END,
       CASE WHEN (seen->>'asserted')::BIGINT >= (opening->>'at')::BIGINT THEN make_timestamp((seen->>'asserted')::BIGINT) END,
       NULL, NULL, opening->>'cause', NULL, (opening->>'fact')::UUID, NULL, (opening->>'sequence')::UBIGINT, NULL
FROM held
"""

_STATUS = """
SELECT value->>'principal' AS principal, value->>'workflow' AS workflow, value->>'agent' AS agent, value->>'verdict' AS verdict,
       value->>'action' AS action, value->>'owner' AS owner, value->>'candidate_of' AS candidate_of,
       (value->>'since')::TIMESTAMP AS since, (value->>'pinned_at')::TIMESTAMP AS pinned_at,
       json_array_length(value, '$.findings') AS findings, (value->>'evidence_at')::TIMESTAMP AS evidence_at,
       (value->>'judged_through')::UBIGINT AS judged_through, value->>'lock_digest' AS lock_digest, value->>'decision' AS decision
FROM kept WHERE name = 'lockfile_status'
"""

_FINDINGS = """
SELECT lock.value->>'principal' AS principal, lock.value->>'workflow' AS workflow, lock.value->>'agent' AS agent,
       each.value->>'rule' AS rule, each.value->>'severity' AS severity, each.value->>'subject' AS subject,
       each.value->>'before' AS before, each.value->>'after' AS after, (each.value->>'since')::TIMESTAMP AS since,
       each.value->>'$.acknowledged.by' AS acknowledged_by,
       (each.value->>'$.acknowledged.until')::TIMESTAMP AS acknowledged_until, each.value->>'fingerprint' AS fingerprint
FROM kept lock, json_each(lock.value, '$.findings') each WHERE lock.name = 'lockfile_status'
"""

VIEWS: tuple[View, ...] = (
    View(
        "log",
        "the log as far as it is in here (the only one)",
        _LOG,
        """
first: the first fact's place in the log; above 1, what came before is not known here
through: the last fact's place
facts: how many there are
began: when the broker stored the first
ended: when the broker stored the last: the clock of everything that is counted here
""",
    ),
    View(
        "agents",
        "an agent as one principal sees it, now",
        _AGENTS,
        """
principal: for whom it is watched; each sees its own
agent: the operator's name for it
provider: who answers for it: the operator's label, else the registrable domain of its host, else the agent's name
tracked: whether it is still watched
source_kind: partner, internal, registry or pinned
interval_s [s]: time between two looks
usable: whether our client can call it by the newest card; NULL: never compiled
version: as its newest card says
signature: verified, unverifiable, absent or invalid
binding: transport of the interface we would call
protocol: A2A version of that interface, Major.Minor
profile_digest: what the newest card says it can do, as a digest
last_success: the last answer that held a usable card
last_confirmed: the last answer in full, less its Age
last_asserted: the last "not modified" (304), less its Age
trouble: what stands in the way since the last success: unreachable, unreadable or signature; NULL: nothing
trouble_since: when that began
trouble_reason: the newest refusal's reason
judged_through: the last observation's place that changed nothing or that the profile rests on
host: where its card was found, or is looked for
label: the operator's name for the provider; NULL: none was given
""",
    ),
    View(
        "capability_spans",
        "a value of a capability, from when to when it held",
        _SPANS,
        """
principal: for whom
agent: whose
capability: what: streaming, interface, version, skills.<id>.input, …
value: JSON text
opened_from: when the value before was last confirmed: it began after this; NULL: nothing known before
first_seen: it began not later than this
last_confirmed: the last full answer with it, less its Age
last_asserted: the last 304 while it held, less its Age
ended_by: it ended not later than this; NULL: still so
ending: changed, removed, unreadable (no card could be read) or untracked; NULL: still so
opened_cause: whose doing the beginning was: card, compiler, client or pin
closed_cause: whose doing the end was
opened_fact: the fact that brought it
closed_fact: the fact that ended it
opened_sequence: that fact's place in the log
closed_sequence: that fact's place in the log
""",
    ),
    *FACTS,
    View(
        "lockfile_status",
        "where a lock stands now",
        _STATUS,
        """
principal: for whom the workflow works
workflow: whose lock
agent: as the lock names it
verdict: pending, compatible, review or breaking
action: allow, allow-degraded, probe or stop; NULL while pending
owner: who is told
candidate_of: the lock's first agent, where this one is a fallback
since: when this verdict began
pinned_at: when the broker stored the pin
findings: how many stand
evidence_at: the newest attempt that showed whether a needed claim holds
judged_through: how far the decision had read
lock_digest: the lock, as a digest
decision: the decision in force, as a fact id
""",
    ),
    View(
        "open_findings",
        "a finding that stands against a lock",
        _FINDINGS,
        """
principal: for whom
workflow: whose lock
agent: as the lock names it
rule: cardtrail rules explains it
severity: breaking, review or note
subject: what it is about
before: as the lock or the last good profile has it
after: as it is now
since: when it began to stand
acknowledged_by: who accepted it; NULL: nobody
acknowledged_until: until when; NULL: while the same change stands
fingerprint: the same finding has the same one
""",
    ),
    *CHANGES,
    *AVAILABILITY,
    *RELIABILITY,
)
STATEMENTS: tuple[str, ...] = (
    _SINCE,
    _HOST,
    *macros(),
    *(line for view in (HISTORY, *VIEWS) for line in view.statements),
)
"""What makes all of it, in a store that has `sites`."""
