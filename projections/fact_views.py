"""Views that list facts of one kind, one row each, with their members as columns; `history` has the rest."""

from cardtrail.projections.view import View

_ORDER = """sequence: the fact's place in the log"""
_NAMES = """principal: as whom it was seen
agent: whose"""
_ENDS = """late: came behind a newer one: it is shown, and counts nowhere
id: of the fact"""

_HISTORY = """
sequence: the fact's place in the log
id: of the fact; a repeated id is no second fact
kind: which event; cardtrail events lists them
agent: whose; empty where none
principal: as whom it was seen; empty where none
workflow: of which workflow; empty where none
source: which service or operator told it
time: when it was observed, by the observer's clock
stored_at: when it came to the log, by the broker's clock
causation: the fact that it follows from
correlation: the first fact of its chain
late: came behind a newer one: it is shown, and counts nowhere
outcome: what came of it, in the words of its kind
detail: about what
status: HTTP status, where it has one
latency_ms [ms]: how long the answer took, where there was one
event: the fact as stored, CloudEvents JSON
"""

_OBSERVATIONS = """
SELECT sequence, time, stored_at, principal, agent, kind = 'card-fetched' AS ok,
       outcome, CASE kind WHEN 'card-refused' THEN detail ELSE '' END AS stage, status, latency_ms,
       CASE kind WHEN 'card-refused' THEN coalesce(event->>'$.data.fault', 'provider') ELSE '' END AS fault,
       coalesce(TRY_CAST(event->>'$.data.checks' AS INTEGER), 1) AS checks, late, id,
       coalesce(TRY_CAST(event->>'$.data.first_at' AS TIMESTAMP), time) AS first_at,
       coalesce(TRY_CAST(event->>'$.data.freshness.age_s' AS BIGINT), 0) AS age_s,
       event->>'$.data.headers.deprecation' AS deprecation, event->>'$.data.headers.sunset' AS sunset
FROM history WHERE kind IN ('card-fetched', 'card-refused')
"""

_PROBES = """
SELECT sequence, time, principal, agent, event->>'$.data.probe' AS probe, event->>'$.data.claim.kind' AS claim,
       event->>'$.data.claim.skill' AS skill, event->>'$.data.claim.value' AS value,
       outcome, coalesce(event->>'$.data.reason', '') AS reason,
       coalesce(TRY_CAST(event->>'$.data.trials' AS INTEGER), 1) AS trials,
       coalesce(TRY_CAST(event->>'$.data.passes' AS INTEGER), 0) AS passes,
       TRY_CAST(event->>'$.data.p50_ms' AS DOUBLE) AS p50_ms, TRY_CAST(event->>'$.data.p95_ms' AS DOUBLE) AS p95_ms,
       event->>'$.data.profile_digest' AS profile_digest, late, id
FROM history WHERE kind = 'probe-recorded'
"""

_ERRORS = """
SELECT sequence, time, principal, agent, workflow, detail AS operation, event->>'$.data.skill' AS skill, outcome AS error,
       TRY_CAST(event->>'$.data.code' AS INTEGER) AS code, event->>'$.data.contradicts.kind' AS contradicts,
       coalesce(event->>'$.data.attribution', 'unknown') AS attribution, late, id,
       event->>'$.data.contradicts.skill' AS contradicts_skill, event->>'$.data.contradicts.value' AS contradicts_value
FROM history WHERE kind = 'runtime-error-observed'
"""

_CALLS = """
SELECT sequence, TRY_CAST(event->>'$.data.minute' AS TIMESTAMP) AS minute, principal, agent, workflow, detail AS operation,
       event->>'$.data.skill' AS skill, TRY_CAST(event->>'$.data.calls' AS BIGINT) AS calls,
       coalesce(TRY_CAST(event->>'$.data.errors' AS BIGINT), 0) AS errors, TRY_CAST(event->>'$.data.p50_ms' AS DOUBLE) AS p50_ms,
       TRY_CAST(event->>'$.data.p95_ms' AS DOUBLE) AS p95_ms, TRY_CAST(event->>'$.data.p99_ms' AS DOUBLE) AS p99_ms, late, id
FROM history WHERE kind = 'calls-counted'
"""

_DECISIONS = """
SELECT sequence, TRY_CAST(event->>'$.data.valid_from' AS TIMESTAMP) AS valid_from, principal, workflow, agent, outcome AS verdict,
       event->>'$.data.previous' AS previous, detail AS action,
       coalesce(event->>'$.data.findings[*].rule', []) AS rules,
       coalesce(event->>'$.data.cause', 'agent') AS cause,
       coalesce(TRY_CAST(event->>'$.data.recovered' AS BOOLEAN), false) AS recovered,
       coalesce(event->>'$.data.owner', '') AS owner,
       event->>'$.data.rules_version' AS rules_version, event->>'$.data.policy_digest' AS policy_digest, late, id,
       coalesce(nullif(event->>'$.data.watched', ''), agent) AS watched, causation AS cause_fact,
       coalesce(event->>'$.data.findings[*].subject', []) AS subjects,
       coalesce(event->>'$.data.findings[*].severity', []) AS severities,
       coalesce(event->>'$.data.lock_digest', '') AS lock_digest
FROM history WHERE kind = 'change-decided'
"""

FACTS: tuple[View, ...] = (
    View(
        "observations",
        "an attempt to read a card",
        _OBSERVATIONS,
        f"""
{_ORDER}
time: when the answer came
stored_at: when the broker stored it
{_NAMES}
ok: whether there was a usable card, or word that it is unchanged
outcome: answered, unchanged, or the reason of the refusal
stage: where a refusal happened: resolve, connect, fetch, parse, validate, verify, …
status: HTTP status; 0 without an answer
latency_ms [ms]: how long the answer took
fault: whose a refusal was: provider, network or ours; empty where it is none
checks: equal observations told as one
{_ENDS}
first_at: when the first of these was made
age_s [s]: how old the answer was already, by its Age
deprecation: the Deprecation header, verbatim
sunset: the Sunset header, verbatim
""",
    ),
    View(
        "probes",
        "an attempt to check one claim",
        _PROBES,
        f"""
{_ORDER}
time: when
{_NAMES}
probe: which test
claim: the kind of claim
skill: of which skill; NULL: of the agent
value: which value of it
outcome: held, contradicted or inconclusive
reason: why, in a word
trials: requests made
passes: of these, how many held
p50_ms [ms]: median of their latencies
p95_ms [ms]: 95th percentile of their latencies
profile_digest: the profile that made the claim
{_ENDS}
""",
    ),
    View(
        "runtime_errors",
        "a real call that failed",
        _ERRORS,
        f"""
{_ORDER}
time: when
{_NAMES}
workflow: whose call
operation: as the protocol names it
skill: of which skill
error: its A2A name, or ours
code: its number, where it has one
contradicts: the kind of claim that it shows to be false; NULL: it says nothing
attribution: whose fault: provider, network, throttle, ours or unknown
{_ENDS}
contradicts_skill: the skill of that claim
contradicts_value: the value of that claim
""",
    ),
    View(
        "calls",
        "a minute of calls of one operation",
        _CALLS,
        f"""
{_ORDER}
minute: its beginning
{_NAMES}
workflow: whose calls
operation: as the protocol names it
skill: of which skill
calls: made in that minute
errors: of these, failed for whatever reason
p50_ms [ms]: median latency in that minute
p95_ms [ms]: 95th percentile in that minute
p99_ms [ms]: 99th percentile in that minute
{_ENDS}
""",
    ),
    View(
        "decisions",
        "what the facts meant for one lock",
        _DECISIONS,
        f"""
{_ORDER}
valid_from: the broker's time of the last cause
principal: for whom the workflow works
workflow: whose lock
agent: as the lock names it
verdict: compatible, review or breaking
previous: the verdict before; NULL: the first
action: allow, allow-degraded, probe or stop
rules: of its findings, worst first
cause: agent; tool, policy, time, pin and acknowledgement count against no provider
recovered: whether it is the return to compatible
owner: who is told
rules_version: of the rules that judged
policy_digest: the policy in force
{_ENDS}
watched: the agent as it is watched
cause_fact: the fact that it follows from
subjects: what its findings are about, in the order of rules
severities: breaking, review or note, in the order of rules
lock_digest: the lock that it was judged by, as a digest
""",
    ),
)
HISTORY = View("history", "a fact, as it lies on the log (a table)", "", _HISTORY)
