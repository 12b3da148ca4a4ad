"""Several trials of one test as one outcome: pass rate, latencies, the fact that tells it. Pure."""

from cardtrail.events.canonical import digest
from cardtrail.events.model.evidence import Claim, Outcome
from cardtrail.events.model.value import Value
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.services.card.paths import visible
from cardtrail.services.percentile import percentile
from cardtrail.services.prober.probe import Judged, Seen
from cardtrail.services.wire.request import WireRequest

_DETAIL = 300


class Trial(Value):
    """One attempt: what came back and how it was judged."""

    seen: Seen
    judged: Judged


class About(Value):
    """What was tested, of whom, against which profile, under which contract; the request only by its digest."""

    agent: str
    principal: str
    probe: str
    claim: Claim
    profile_digest: str
    contract_digest: str
    request_digest: str = ""


def recorded(about: About, trials: tuple[Trial, ...], pass_rate: float) -> ProbeRecorded:
    """The fact about these trials, at least one; the claim holds where `pass_rate` of the conclusive ones held."""
    passes = sum(trial.judged.outcome == "held" for trial in trials)
    outcome = _outcome(trials, passes, pass_rate)
    told = next(trial for trial in reversed(trials) if trial.judged.outcome == outcome)
    answered = sorted(trial.seen.latency_ms for trial in trials if trial.judged.outcome != "inconclusive")
    answer = told.seen.answer
    waits = [trial.seen.answer.retry_after_s for trial in trials if trial.seen.answer is not None]
    return ProbeRecorded(
        **about.model_dump(exclude={"claim"}),
        claim=about.claim,
        outcome=outcome,
        reason=told.judged.reason,
        detail=visible(told.judged.detail)[:_DETAIL],
        status=answer.status if answer else 0,
        error=answer.error.name if answer and answer.error else "",
        trials=len(trials),
        passes=passes,
        p50_ms=percentile(answered, 50),
        p95_ms=percentile(answered, 95),
        retry_after_s=max((wait for wait in waits if wait is not None), default=None),
    )


def interrupted(about: About) -> ProbeRecorded:
    """A request left, and nobody saw what came of it."""
    detail = "the prober ended before the answer came; it is not sent again"
    return ProbeRecorded(
        **about.model_dump(exclude={"claim"}),
        claim=about.claim,
        outcome="inconclusive",
        reason="interrupted",
        detail=detail,
    )


def request_digest(request: WireRequest) -> str:
    """What evidence names instead of the request; credentials are no part of it."""
    return digest(
        {
            "method": request.method,
            "url": request.url,
            "headers": request.headers,
            "body": request.body.decode("utf-8", "replace"),
        }
    )


def _outcome(trials: tuple[Trial, ...], passes: int, pass_rate: float) -> Outcome:
    conclusive = sum(trial.judged.outcome != "inconclusive" for trial in trials)
    if not conclusive:
        return "inconclusive"
    return "held" if passes >= pass_rate * conclusive else "contradicted"
