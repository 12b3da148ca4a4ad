"""The SQL behind every number of the report: what `cardtrail sql` answers as well, for who wants to look behind a number.

`$principal` is asked for by name; where a period is set, the views count from `SET VARIABLE since` on.
"""

QUESTIONS: dict[str, str] = {
    "log": "SELECT first, through, facts, began, ended FROM log",
    "agents": """SELECT agent, provider, interval_s FROM agents
WHERE principal = $principal ORDER BY provider, agent""",
    "availability": """SELECT agent, day, attempts, observed_s, available_s FROM availability
WHERE principal = $principal ORDER BY agent, day""",
    "outages": """SELECT agent, down_from, up_at, down_s, first_reason FROM outages
WHERE principal = $principal ORDER BY agent, down_from""",
    "claims": """SELECT agent, claim, outcome, count(*)::BIGINT AS days FROM claim_days
WHERE principal = $principal GROUP BY ALL ORDER BY ALL""",
    "errors": """SELECT agent, operation, calls, contradicting, not_the_provider, errors FROM error_rate
WHERE principal = $principal ORDER BY agent, operation""",
    "watched": """SELECT agent, watched_s FROM change_rate WHERE principal = $principal ORDER BY agent""",
    "changes": """SELECT agent, sequence, after, first_seen, version_before, version, moved_profile, capabilities, verdict,
       change_key, interfaces_before, interfaces
FROM changes WHERE principal = $principal ORDER BY agent, sequence""",
    "announced": """SELECT agent, min(first_at) AS at FROM observations
WHERE principal = $principal AND ok AND NOT late AND (deprecation IS NOT NULL OR sunset IS NOT NULL)
GROUP BY agent ORDER BY agent""",
    "breaks": """SELECT agent, sequence, broken_at, kind, workflows, rules, break_key, change_sequence FROM breaks
WHERE principal = $principal ORDER BY agent, sequence""",
    "locks": """SELECT sequence, valid_from AS at, watched AS agent, workflow, agent AS named, verdict, action, cause,
       NULL AS lock, NULL AS candidate_of
FROM decisions WHERE principal = $principal AND NOT late
UNION ALL
SELECT sequence, stored_at, agent, workflow, agent, kind, NULL, 'pin', event->>'$.data.lockfile', event->>'$.data.candidate_of'
FROM history WHERE principal = $principal AND kind IN ('lockfile-pinned', 'lockfile-released') AND NOT late ORDER BY sequence""",
    "delegations": """SELECT agent, workflow, minute, sum(calls)::BIGINT AS calls FROM calls
WHERE principal = $principal AND NOT late AND operation IN ('SendMessage', 'SendStreamingMessage')
GROUP BY ALL ORDER BY ALL""",
    "proofs": """SELECT sequence, stored_at AS at, time AS shown_at, agent,
       CASE kind WHEN 'probe-recorded' THEN outcome WHEN 'profile-compiled' THEN 'compiled' ELSE 'contradicted' END AS outcome,
       coalesce(event->>'$.data.claim', event->>'$.data.contradicts') AS claim,
       CASE kind WHEN 'profile-compiled' THEN event->>'$.data.profile' END AS profile
FROM history WHERE principal = $principal AND NOT late AND outcome != 'inconclusive'
      AND (kind IN ('probe-recorded', 'profile-compiled')
           OR kind = 'runtime-error-observed' AND event->>'$.data.contradicts' IS NOT NULL) ORDER BY sequence""",
    "demands": """SELECT sequence, stored_at AS at, coalesce((event->>'$.data.policy.evidence_max_age_s')::BIGINT, 0) AS age_s
FROM history WHERE kind = 'policy-declared' ORDER BY sequence""",
    "latency": """SELECT agent, answers, p50_ms, p95_ms, p99_ms FROM latency
WHERE principal = $principal ORDER BY agent""",
    "calls": """SELECT agent, operation, minutes, calls, p50_ms, worst_p95_ms FROM call_latency
WHERE principal = $principal ORDER BY agent, operation""",
    "signatures": """SELECT agent, capability, value, first_seen, ended_by FROM capability_spans
WHERE principal = $principal AND capability IN ('signature', 'signer') ORDER BY agent, capability, first_seen, opened_sequence""",
    "spans": """SELECT agent, capability, value, opened_from, first_seen, last_confirmed, ended_by, ending FROM capability_spans
WHERE principal = $principal AND list_contains($agents, agent) ORDER BY agent, capability, first_seen, opened_sequence""",
    "status": """SELECT workflow, agent, verdict, action, since, findings, evidence_at, owner FROM lockfile_status
WHERE principal = $principal ORDER BY workflow, agent""",
    "rules": """SELECT DISTINCT rules_version FROM decisions WHERE principal = $principal AND rules_version != '' ORDER BY ALL""",
    "checkpoint": """SELECT event->>'$.data.root' AS root, (event->>'$.data.size')::BIGINT AS size,
       (event->>'$.data.through')::BIGINT AS through FROM history
WHERE kind = 'checkpoint-signed' ORDER BY sequence DESC LIMIT 1""",
}
