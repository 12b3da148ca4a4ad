"""When a card could be had, as SQL: what is not observed is neither up nor down; and which answers brought nothing new."""

from cardtrail.projections.view import View

_WHO = """provider: who answers for it
principal: as whom it was seen
agent: whose"""

_SPOKEN = """
WITH seen AS (
    SELECT principal, agent, sequence, first_at, time, ok, outcome, checks FROM observations WHERE NOT late AND fault != 'ours'
    UNION ALL
    SELECT principal, agent, sequence, time, time, NULL, '', 0 FROM history WHERE kind = 'agent-untracked' AND NOT late
)
SELECT seen.principal, seen.agent, agents.provider, seen.sequence, ok, outcome, checks, greatest(first_at, since()) AS begun,
       greatest(first_at, since(), least(
           lead(first_at, 1, (SELECT ended FROM log)) OVER look,
           time + 2 * to_seconds(coalesce(nullif(interval_s, 0), 86400)))) AS until,
       lead(first_at) OVER look AS following, time >= since() AS within
FROM seen JOIN agents USING (principal, agent)
WINDOW look AS (PARTITION BY seen.principal, seen.agent ORDER BY first_at, seen.sequence) QUALIFY ok IS NOT NULL
"""

_AVAILABILITY = """
WITH days AS (
    SELECT *, unnest(generate_series(begun::DATE, until::DATE, INTERVAL 1 DAY))::DATE AS day FROM spoken WHERE until >= since()
), parts AS (
    SELECT *, CASE WHEN begun::DATE = day AND within THEN checks ELSE 0 END AS made,
           epoch_us(least(until, day + INTERVAL 1 DAY)) - epoch_us(greatest(begun, day)) AS spoken_us FROM days
)
SELECT provider, principal, agent, day, sum(made)::BIGINT AS attempts, sum(spoken_us)::BIGINT // 1000000 AS observed_s,
       sum(CASE WHEN ok THEN spoken_us ELSE 0 END)::BIGINT // 1000000 AS available_s
FROM parts GROUP BY ALL HAVING sum(made) > 0 OR sum(spoken_us) > 0
"""

_OUTAGES = """
WITH runs AS (
    SELECT *, count(*) FILTER (ok) OVER (PARTITION BY principal, agent ORDER BY begun, sequence ROWS UNBOUNDED PRECEDING) AS run
    FROM spoken
)
SELECT provider, principal, agent, min(begun) AS down_from, arg_max_null(following, sequence) AS up_at,
       sum(checks)::BIGINT AS attempts, sum(epoch_us(until) - epoch_us(begun))::BIGINT // 1000000 AS down_s,
       arg_min(outcome, sequence) AS first_reason
FROM runs WHERE NOT ok GROUP BY provider, principal, agent, run
HAVING arg_max_null(following, sequence) IS NULL OR arg_max_null(following, sequence) > since()
"""

_TRANSFERS = """
WITH cards AS (
    SELECT principal, agent, sequence, coalesce(TRY_CAST(event->>'$.data.first_at' AS TIMESTAMP), time) >= since() AS within,
           TRY_CAST(event->>'$.data.same_as' AS UBIGINT) AS same_as,
           coalesce(TRY_CAST(event->>'$.data.checks' AS BIGINT), 1) AS checks,
           coalesce(TRY_CAST(event->>'$.data.size' AS BIGINT), 0) AS size, coalesce(status, 200) AS status,
           coalesce(event->>'$.data.validators.etag', event->>'$.data.validators.last_modified') IS NOT NULL AS validators
    FROM history WHERE kind = 'card-fetched' AND NOT late
), looks AS (
    SELECT look.*, whole.size AS whole_size, look.same_as IS NOT NULL AND look.status = 200 AS again
    FROM cards look JOIN cards whole ON whole.sequence = coalesce(look.same_as, look.sequence)
)
SELECT agents.provider, looks.principal, looks.agent, sum(checks)::BIGINT AS answers,
       coalesce(sum(checks) FILTER (status = 304), 0)::BIGINT AS not_modified,
       coalesce(sum(checks) FILTER (again), 0)::BIGINT AS repeated,
       coalesce(sum(checks * whole_size) FILTER (again), 0)::BIGINT AS repeated_bytes,
       arg_max(validators, sequence) FILTER (same_as IS NULL) AS validators
FROM looks JOIN agents USING (principal, agent) WHERE within GROUP BY ALL
"""

AVAILABILITY: tuple[View, ...] = (
    View(
        "spoken",
        "an attempt to read a card, no fault of ours, and until when it speaks: the next one, the watch's end, or two intervals",
        _SPOKEN,
        """
principal: as whom it was seen
agent: whose
provider: who answers for it
sequence: the fact's place in the log
ok: whether there was a usable card
outcome: answered, unchanged, or the reason of the refusal
checks: equal observations told as one
begun: from when on it speaks
until: until when; beyond, nobody looked
following: when the next attempt was made, or the watch ended; NULL: neither yet
within: whether it was made in the period that is counted
""",
    ),
    View(
        "availability",
        "a day of an agent: seconds observed, and seconds in which the latest attempt gave a card",
        _AVAILABILITY,
        f"""
{_WHO}
day: UTC
attempts: made that day
observed_s [s]: time for which some attempt speaks; unobserved time is in neither
available_s [s]: of that, time in which the latest attempt gave a usable card
""",
    ),
    View(
        "outages",
        "attempts in a row that gave no card",
        _OUTAGES,
        f"""
{_WHO}
down_from: the first of them
up_at: the first attempt that gave a card again, or the end of the watch; NULL: neither yet
attempts: how many
down_s [s]: observed time that passed so
first_reason: why the first one failed
""",
    ),
    View(
        "transfers",
        "an agent: answers with a card, and how many of them brought nothing new",
        _TRANSFERS,
        f"""
{_WHO}
answers: with a card, or with word that it is unchanged
not_modified: of these, told by 304, without a body
repeated: of these, answered with the whole card although nothing had changed; our own looks without conditions are among them
repeated_bytes: bytes of cards that came so
validators: whether the last card that was new came with an ETag or Last-Modified to ask for it by; NULL: none was new
""",
    ),
)
