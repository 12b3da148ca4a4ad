"""How well agents and providers keep their word, as SQL over the other views; every share with the interval it is uncertain by.

No single score: order by the lower end of an interval, and trust nothing under n = 10. `wilson_low`, `wilson_high` (k, n) bound
a share, `poisson_low`, `poisson_high` (k) a count, both at 95 % (see `intervals.py`).
"""

from cardtrail.projections.view import View

_WHO = """provider: who answers for it
principal: as whom it was seen
agent: whose"""

_CLAIM_DAYS = """
WITH shown AS (
    SELECT principal, agent, claim, skill, value, time::DATE AS day, outcome, 'probe' AS how FROM probes
    WHERE NOT late AND time >= since()
    UNION ALL
    SELECT principal, agent, contradicts, contradicts_skill, contradicts_value, time::DATE, 'contradicted', 'call'
    FROM runtime_errors WHERE NOT late AND contradicts IS NOT NULL AND time >= since()
    UNION ALL
    SELECT principal, agent, CASE WHEN operation = 'GetExtendedAgentCard' THEN 'extended-card' ELSE 'streaming' END,
           NULL, NULL, minute::DATE, 'held', 'call'
    FROM calls WHERE NOT late AND calls > errors AND minute >= since()
          AND operation IN ('SendStreamingMessage', 'SubscribeToTask', 'GetExtendedAgentCard')
)
SELECT agents.provider, principal, agent, claim, skill, value, day,
       CASE WHEN bool_or(outcome = 'contradicted') THEN 'contradicted' WHEN bool_or(outcome = 'held') THEN 'held'
            ELSE 'inconclusive' END AS outcome,
       count(*) FILTER (how = 'probe') AS probes, count(*) FILTER (how = 'call') AS calls
FROM shown JOIN agents USING (principal, agent) GROUP BY ALL
"""

_ACCURACY = """
SELECT provider, principal, agent, claim, count(*) FILTER (outcome = 'held') AS held,
       count(*) FILTER (outcome = 'contradicted') AS contradicted, count(*) FILTER (outcome = 'inconclusive') AS inconclusive,
       wilson_low(count(*) FILTER (outcome = 'held'), count(*) FILTER (outcome != 'inconclusive')) AS share_low,
       count(*) FILTER (outcome = 'held') / nullif(count(*) FILTER (outcome != 'inconclusive'), 0) AS share,
       wilson_high(count(*) FILTER (outcome = 'held'), count(*) FILTER (outcome != 'inconclusive')) AS share_high
FROM claim_days GROUP BY ALL
"""

_ERROR_RATE = """
WITH failed AS (
    SELECT principal, agent, operation, count(*) FILTER (contradicts IS NOT NULL) AS contradicting,
           count(*) FILTER (contradicts IS NULL AND attribution IN ('throttle', 'ours', 'network')) AS apart, count(*) AS errors
    FROM runtime_errors WHERE NOT late AND time >= since() GROUP BY ALL
), counted AS (
    SELECT principal, agent, operation, sum(calls)::BIGINT AS calls FROM calls WHERE NOT late AND minute >= since() GROUP BY ALL
)
SELECT agents.provider, principal, agent, operation, calls,
       coalesce(contradicting, 0) AS contradicting, coalesce(apart, 0) AS not_the_provider,
       wilson_low(least(coalesce(contradicting, 0), calls), calls) AS rate_low,
       least(coalesce(contradicting, 0), calls) / nullif(calls, 0) AS rate,
       wilson_high(least(coalesce(contradicting, 0), calls), calls) AS rate_high, coalesce(errors, 0) AS errors
FROM counted FULL JOIN failed USING (principal, agent, operation) JOIN agents USING (principal, agent)
"""

_CHANGE_RATE = """
WITH watched AS (
    SELECT principal, agent, greatest(0, epoch_us(max(time)) - epoch_us(greatest(min(first_at), since())))::BIGINT AS watched_us
    FROM observations WHERE NOT late GROUP BY ALL
), changed AS (
    SELECT principal, agent, count(DISTINCT change_key) AS changes,
           count(DISTINCT change_key) FILTER (verdict = 'review') AS reviews,
           quantile_disc(epoch_us(first_seen) - epoch_us(after), 0.5) // 1000000 AS window_p50_s,
           quantile_disc(epoch_us(first_seen) - epoch_us(after), 0.95) // 1000000 AS window_p95_s
    FROM changes WHERE first_seen >= since() GROUP BY ALL
), broken AS (
    SELECT principal, agent, count(DISTINCT break_key) AS breaking FROM breaks WHERE broken_at >= since() GROUP BY ALL
)
SELECT agents.provider, principal, agent, watched_us // 86400000000 AS watched_days,
       coalesce(changes, 0) AS changes, coalesce(reviews, 0) AS reviews, coalesce(breaking, 0) AS breaking,
       30 * poisson_low(coalesce(changes, 0)) / nullif(watched_us / 86400000000.0, 0) AS changes_per_30_days_low,
       30 * coalesce(changes, 0) / nullif(watched_us / 86400000000.0, 0) AS changes_per_30_days,
       30 * poisson_high(coalesce(changes, 0)) / nullif(watched_us / 86400000000.0, 0) AS changes_per_30_days_high,
       window_p50_s, window_p95_s, watched_us // 1000000 AS watched_s
FROM watched JOIN agents USING (principal, agent) LEFT JOIN changed USING (principal, agent)
     LEFT JOIN broken USING (principal, agent)
"""

_LATENCY = """
SELECT agents.provider, principal, agent, count(*) AS answers, quantile_disc(latency_ms, 0.5) AS p50_ms,
       quantile_disc(latency_ms, 0.95) AS p95_ms, quantile_disc(latency_ms, 0.99) AS p99_ms
FROM observations JOIN agents USING (principal, agent) WHERE ok AND NOT late AND time >= since() GROUP BY ALL
"""

_CALL_LATENCY = """
WITH minutes AS (
    SELECT *, sum(calls) OVER (each ORDER BY p50_ms, sequence ROWS UNBOUNDED PRECEDING) AS below, sum(calls) OVER each AS whole
    FROM calls WHERE NOT late AND p50_ms IS NOT NULL AND minute >= since()
    WINDOW each AS (PARTITION BY principal, agent, operation)
)
SELECT agents.provider, principal, agent, operation, count(*) AS minutes, sum(calls)::BIGINT AS calls,
       min(p50_ms) FILTER (2 * below >= whole) AS p50_ms, max(p95_ms) AS worst_p95_ms, max(p99_ms) AS worst_p99_ms
FROM minutes JOIN agents USING (principal, agent) GROUP BY ALL
"""

_PROVIDERS = """
WITH available AS (
    SELECT provider, principal, sum(observed_s)::BIGINT AS observed_s, sum(available_s)::BIGINT AS available_s
    FROM availability GROUP BY ALL
), accurate AS (
    SELECT provider, principal, agent, sum(held)::BIGINT AS held, sum(contradicted)::BIGINT AS contradicted
    FROM claim_accuracy GROUP BY ALL
), weighed AS (  -- each of a provider's agents weighs the same
    SELECT provider, principal, sum(held)::BIGINT AS held, sum(contradicted)::BIGINT AS contradicted,
           avg(held / (held + contradicted)) AS kept, count(*) ** 2 / sum(1 / (held + contradicted)) AS effective
    FROM accurate WHERE held + contradicted > 0 GROUP BY ALL
), moved AS (
    SELECT provider, principal, count(*) AS agents, sum(changes)::BIGINT AS changes, sum(breaking)::BIGINT AS breaking
    FROM change_rate GROUP BY ALL
)
SELECT provider, agents, observed_s, available_s / nullif(observed_s, 0) AS availability, held, contradicted,
       kept AS claims_kept, wilson_low(kept * effective, effective) AS claims_kept_low,
       wilson_high(kept * effective, effective) AS claims_kept_high, changes, breaking, effective AS effective_tries, principal
FROM moved LEFT JOIN available USING (provider, principal) LEFT JOIN weighed USING (provider, principal)
"""

RELIABILITY: tuple[View, ...] = (
    View(
        "claim_days",
        "a claim on a day it was tried: repeats count once, and one contradiction makes the day",
        _CLAIM_DAYS,
        f"""
{_WHO}
claim: the kind of claim
skill: of which skill; NULL: of the agent
value: which value of it
day: UTC
outcome: contradicted, held, or inconclusive where nothing was learned
probes: attempts by probe
calls: minutes and errors of real calls that say something about it
""",
    ),
    View(
        "claim_accuracy",
        "a kind of claim of an agent: on how many claim-days it held",
        _ACCURACY,
        f"""
{_WHO}
claim: the kind of claim
held: claim-days on which it held
contradicted: claim-days on which it did not
inconclusive: claim-days on which nothing was learned
share_low: lower end of the 95 % interval (Wilson)
share: held of held and contradicted; NULL: none
share_high: upper end
""",
    ),
    View(
        "error_rate",
        "an operation of an agent: errors that contradict a claim, by calls",
        _ERROR_RATE,
        f"""
{_WHO}
operation: as the protocol names it
calls: how many were made; NULL: none was counted, which is no data and not 0
contradicting: errors that contradict a claim of the card
not_the_provider: errors by throttling, network or our own fault
rate_low: lower end of the 95 % interval (Wilson)
rate: contradicting of calls
rate_high: upper end
errors: all errors that were told
""",
    ),
    View(
        "change_rate",
        "an agent: how often its card changed, and how closely that was seen",
        _CHANGE_RATE,
        f"""
{_WHO}
watched_days [d]: from the first to the last attempt
changes: distinct changes; flapping counts once
reviews: of these, that put a lock on review
breaking: distinct breaks of a lock, by a change or by evidence
changes_per_30_days_low: lower end of the 95 % interval (exact Poisson)
changes_per_30_days: distinct changes per 30 days watched
changes_per_30_days_high: upper end
window_p50_s [s]: median time between the last sight of the old and the first of the new: detection at worst
window_p95_s [s]: 95th percentile of that
watched_s [s]: the same as watched_days, finer
""",
    ),
    View(
        "latency",
        "an agent: how long its card takes to come",
        _LATENCY,
        f"""
{_WHO}
answers: how many; below 20 the rest means little
p50_ms [ms]: median, in whole milliseconds as measured
p95_ms [ms]: 95th percentile
p99_ms [ms]: 99th percentile
""",
    ),
    View(
        "call_latency",
        "an operation of an agent: how long real calls take, by minutes",
        _CALL_LATENCY,
        f"""
{_WHO}
operation: as the protocol names it
minutes: with a measurement; below 20 the rest means little
calls: in these minutes
p50_ms [ms]: median of the minutes' medians, each weighing its calls
worst_p95_ms [ms]: the worst minute's 95th percentile
worst_p99_ms [ms]: the worst minute's 99th percentile
""",
    ),
    View(
        "provider_reliability",
        "a provider as one principal sees it, all its agents together",
        _PROVIDERS,
        """
provider: its label, registrable domain, or only agent
agents: how many were watched
observed_s [s]: agent-seconds for which some attempt speaks
availability: share of that in which the latest attempt gave a usable card
held: claim-days on which a claim held
contradicted: claim-days on which it did not
claims_kept: mean of its agents' shares, each weighing the same
claims_kept_low: lower end of the 95 % interval (Wilson, at the effective number)
claims_kept_high: upper end
changes: distinct changes
breaking: distinct breaks
effective_tries: what that mean is worth in claim-days: agents², divided by the sum of 1 ÷ each one's
principal: as whom
""",
    ),
)
