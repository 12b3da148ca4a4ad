"""Several trials are one record: pass rate, latencies, the reason of what decided."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.model.evidence import Claim
from cardtrail.services.prober.probe import Judged, Seen, contradicted, held, inconclusive
from cardtrail.services.prober.trials import About, Trial, interrupted, recorded, request_digest
from cardtrail.services.wire.answer import read_bytes
from cardtrail.services.wire.request import WireRequest

ABOUT = About(
    agent="pricing", principal="public", probe="streaming", claim=Claim(kind="streaming"),
    profile_digest="sha256:p", contract_digest="sha256:c",
)  # fmt: skip
FINE, LIE, SILENT = held("event-received"), contradicted("empty-stream", "bidi\u202e"), inconclusive("throttled")


def trial(judged: Judged, ms: float = 10.0, **seen: object) -> Trial:
    return Trial(seen=Seen.model_validate({"latency_ms": ms, **seen}), judged=judged)


def test_a_claim_holds_where_enough_trials_held() -> None:
    assert recorded(ABOUT, (trial(FINE),), 1.0).outcome == "held"
    assert recorded(ABOUT, (*[trial(FINE)] * 4, trial(LIE)), 0.8).outcome == "held"
    flaky = recorded(ABOUT, (trial(FINE), trial(LIE), trial(FINE)), 0.8)
    assert (flaky.outcome, flaky.reason, flaky.passes, flaky.trials) == ("contradicted", "empty-stream", 2, 3)


def test_trials_that_showed_nothing_count_neither_way() -> None:
    assert recorded(ABOUT, (trial(FINE), trial(SILENT)), 1.0).outcome == "held"
    assert recorded(ABOUT, (trial(SILENT),), 0.1).outcome == "inconclusive"


def test_latencies_are_those_of_answers_that_showed_something() -> None:
    made = recorded(ABOUT, (*(trial(FINE, ms) for ms in (30, 10, 20)), trial(SILENT, 9_999)), 1.0)
    assert (made.p50_ms, made.p95_ms) == (20, 30)
    assert recorded(ABOUT, (trial(SILENT),), 1.0).p50_ms is None


def test_what_a_card_or_server_says_is_shown_not_obeyed() -> None:
    assert recorded(ABOUT, (trial(LIE),), 1.0).detail == "bidi\\u202e"
    wait = read_bytes("JSONRPC", 429, "text/plain", b"slow", retry_after_s=9)
    assert recorded(ABOUT, (trial(SILENT, answer=wait),), 1.0).retry_after_s == 9


def test_an_interrupted_test_is_no_evidence() -> None:
    assert (interrupted(ABOUT).outcome, interrupted(ABOUT).reason) == ("inconclusive", "interrupted")


def test_a_request_is_named_by_all_that_it_says() -> None:
    request = WireRequest(method="POST", url="https://a.example", headers={"A2A-Version": "1.0"}, body=b"{}")
    others = [{"url": "https://b.example"}, {"headers": {}}, {"body": b"{ }"}, {"method": "GET"}]
    digests = {request_digest(request.model_copy(update=other)) for other in ({}, *others)}
    assert len(digests) == 5


@given(st.lists(st.sampled_from([FINE, LIE, SILENT]), min_size=1, max_size=20), st.floats(0.01, 1.0))
def test_a_record_never_says_more_than_its_trials(judged: list[Judged], rate: float) -> None:
    made = recorded(ABOUT, tuple(map(trial, judged)), rate)
    assert made.outcome in {one.outcome for one in judged}
    assert made.passes == sum(one.outcome == "held" for one in judged) <= made.trials == len(judged)
