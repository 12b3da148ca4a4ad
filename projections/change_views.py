"""Views of what changed: profiles as compiled, changes of a card, and which of them broke a lock."""

from cardtrail.projections.view import View

_PROFILES = """
SELECT sequence, time, stored_at, principal, agent, outcome = 'usable' AS usable, detail AS cause,
       (event->>'$.data.card_sequence')::UBIGINT AS card_sequence, event->>'$.data.profile_digest' AS profile_digest,
       event->>'$.data.identity_digest' AS identity_digest, coalesce(event->>'$.data.identity.version', '') AS version,
       coalesce(json_array_length(event, '$.data.profile.interfaces'), 0) AS interfaces,
       event->>'$.data.compiler_version' AS compiler_version, late, id
FROM history WHERE kind = 'profile-compiled'
"""

_CHANGES = """
WITH told AS (
    SELECT *, concat(profile_digest, identity_digest) AS is_now, lag(concat(profile_digest, identity_digest)) OVER seen AS was,
           lag(profile_digest) OVER seen AS was_profile, lag(version) OVER seen AS version_before,
           lag(interfaces) OVER seen AS interfaces_before
    FROM profiles WHERE NOT late WINDOW seen AS (PARTITION BY principal, agent ORDER BY sequence)
), cards AS (  -- the look at which it came to light, and the last full one before
    SELECT sequence, principal, agent, time - to_seconds(age_s) AS first_seen, deprecation, sunset,
           max(CASE WHEN status != 304 THEN time - to_seconds(age_s) END) OVER
               (PARTITION BY principal, agent ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS after
    FROM observations WHERE ok AND NOT late
), moved AS (
    SELECT principal, agent, sequence, list(DISTINCT capability ORDER BY capability) AS capabilities FROM (
        SELECT principal, agent, capability, opened_sequence AS sequence, value,
               lag(value) OVER (PARTITION BY principal, agent, capability ORDER BY first_seen, opened_sequence) AS was
        FROM capability_spans WHERE opened_cause = 'card'
        UNION ALL
        SELECT principal, agent, capability, closed_sequence, NULL, value FROM capability_spans WHERE ending = 'removed'
    ) WHERE value IS DISTINCT FROM was GROUP BY ALL
), judged AS (
    SELECT cause_fact AS id, max(CASE verdict WHEN 'breaking' THEN 2 WHEN 'review' THEN 1 ELSE 0 END) AS worst
    FROM decisions WHERE NOT late AND cause = 'agent' AND verdict IS DISTINCT FROM previous GROUP BY ALL
)
SELECT card_sequence AS sequence, told.principal, told.agent, after, first_seen, version_before, version,
       was_profile != profile_digest AS moved_profile, coalesce(moved.capabilities, []) AS capabilities,
       CASE worst WHEN 2 THEN 'breaking' WHEN 1 THEN 'review' WHEN 0 THEN 'compatible' END AS verdict,
       left(md5(concat(least(was, is_now), greatest(was, is_now))), 12) AS change_key,
       interfaces_before, told.interfaces AS interfaces, deprecation, sunset, told.id AS profile_fact
FROM told JOIN cards ON cards.sequence = card_sequence LEFT JOIN judged ON judged.id = told.id
     LEFT JOIN moved ON moved.principal = told.principal AND moved.agent = told.agent AND moved.sequence = card_sequence
WHERE was != is_now AND told.cause IN ('card', 'pin')
"""

_BREAKS = """
SELECT min(decided.sequence) AS sequence, min(decided.valid_from) AS broken_at, decided.principal, decided.watched AS agent,
       fact.kind AS kind, list(DISTINCT decided.workflow ORDER BY decided.workflow) AS workflows,
       list(DISTINCT rule ORDER BY rule) AS rules,
       coalesce(any_value(changed.change_key), left(md5(string_agg(DISTINCT concat(rule, ' ', subject), chr(10)
           ORDER BY concat(rule, ' ', subject))), 12)) AS break_key,
       any_value(changed.sequence) AS change_sequence, decided.cause_fact AS cause_fact
FROM (SELECT sequence, valid_from, principal, watched, workflow, cause_fact,
             unnest(rules) AS rule, unnest(subjects) AS subject, unnest(severities) AS severity
      FROM decisions
      WHERE NOT late AND cause = 'agent' AND verdict = 'breaking' AND previous IS DISTINCT FROM 'breaking') decided
     LEFT JOIN history fact ON fact.id = decided.cause_fact
     LEFT JOIN changes changed ON changed.profile_fact = decided.cause_fact
WHERE severity = 'breaking' GROUP BY decided.principal, decided.watched, decided.cause_fact, fact.kind
"""

CHANGES: tuple[View, ...] = (
    View(
        "profiles",
        "a profile as compiled: told when what the card says, or who says it, is another",
        _PROFILES,
        """
sequence: the fact's place in the log
time: when it was compiled
stored_at: when the broker stored it
principal: for whom
agent: whose
usable: whether our client can call it
cause: what brought it: card, compiler, client or pin
card_sequence: the observation it rests on
profile_digest: what it says the agent can do
identity_digest: who it says the agent is: name, version, provider, signer
version: the agent's, as it says
interfaces: how many it offers
compiler_version: of our compiler
late: came behind a newer one: it is shown, and counts nowhere
id: of the fact
""",
    ),
    View(
        "changes",
        "a change of a card in what the agent can do or who it is; ten capabilities changed by one card are one change",
        _CHANGES,
        """
sequence: the observation's place in the log that brought it to light
principal: for whom
agent: whose
after: it happened after this, the last full answer before; NULL: nothing known before
first_seen: and not later than this
version_before: the agent's version before
version: and since
moved_profile: whether what it can do changed; false: only who it is
capabilities: which changed, came or went
verdict: the worst for any lock that was judged anew; NULL: none was
change_key: the same for a change and its taking back, so that flapping is one change
interfaces_before: how many were offered before
interfaces: how many now
deprecation: the Deprecation header of that answer
sunset: the Sunset header of that answer
profile_fact: the profile that tells it
""",
    ),
    View(
        "breaks",
        "a fact that broke at least one lock by the agent's doing",
        _BREAKS,
        """
sequence: the first such decision's place in the log
broken_at: the broker's time of its cause
principal: for whom
agent: as it is watched
kind: of the fact behind it: profile-compiled, probe-recorded, runtime-error-observed, …
workflows: whose locks
rules: of the breaking findings
break_key: the same for the same break, so that a break that comes and goes is one
change_sequence: the change that it was, where it was one (changes.sequence)
cause_fact: the fact behind it
""",
    ),
)
