"""Probes against an unchanged SDK agent, honest or behind a gateway that breaks what it keeps; each judged by what came back."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cardtrail.events.model.profile import Profile
from tests.a2a_agent import card
from tests.agent_host import AgentHost, Reply, Seen
from tests.services.prober.asking import agent, ask, profile
from tests.streams import PATIENCE_S

ANSWERS, STREAM, OUTPUT, SECURITY = "binding-answers", "streaming", "output-mode", "security-required"
INPUT, VERSION = "input-mode", "version-enforced"
DESCRIPTORS = Path("/proc/self/fd")
LIES = [
    ("", ANSWERS, "held", "task-not-found"),
    ("", STREAM, "held", "event-received"),
    ("", OUTPUT, "held", "given"),
    ("", SECURITY, "held", "let-in"),
    ("empty", STREAM, "contradicted", "empty-stream"),
    ("empty", ANSWERS, "contradicted", "stream"),
    ("plain", STREAM, "contradicted", "not-a-stream"),
    ("plain", ANSWERS, "held", "task-not-found"),
    ("page", STREAM, "contradicted", "not-a-stream"),
    ("page", ANSWERS, "contradicted", "not-a2a"),
    ("untyped", STREAM, "contradicted", "not-a-stream"),
    ("missing", ANSWERS, "contradicted", "no-route"),
    ("versionless", ANSWERS, "inconclusive", "version-header-lost"),
    ("versionless", STREAM, "inconclusive", "other-error"),
    ("versionless", VERSION, "inconclusive", "version-header-lost"),
    ("", VERSION, "held", "version-refused"),
    ("typeless", STREAM, "held", "event-received"),
    ("typeless", INPUT, "held", "accepted"),
    *(("bare", probe, "inconclusive", "other-error") for probe in (STREAM, INPUT, OUTPUT, SECURITY)),
    *(("bare", probe, "inconclusive", "version-header-lost") for probe in (ANSWERS, VERSION)),
    ("throttle", STREAM, "inconclusive", "throttled"),
    ("throttle", ANSWERS, "inconclusive", "throttled"),
    ("unavailable", STREAM, "inconclusive", "unavailable"),
    ("broken", STREAM, "inconclusive", "server-error"),
    ("broken", ANSWERS, "inconclusive", "server-error"),
    ("closed", ANSWERS, "inconclusive", "authentication"),
    ("closed", SECURITY, "contradicted", "authentication-demanded"),
    ("giant", STREAM, "inconclusive", "event-too-large"),
    ("lost", STREAM, "inconclusive", "connection-lost"),
]


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
def test_each_lie_is_told_from_the_truth_and_from_what_proves_nothing(binding: str) -> None:
    with agent() as (_, proxy):
        made = profile(proxy.base, binding)
        for lie, probe, outcome, reason in LIES:
            proxy.lie("*", lie)
            (trial,) = ask(proxy.ca_file, made, probe)
            assert (lie, probe, trial.judged.outcome, trial.judged.reason) == (lie, probe, outcome, reason)


SSE, JSON, TEXT = ({"Content-Type": f"{kind}"} for kind in ("text/event-stream", "application/json", "text/plain"))
TASK = b'{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}'
DONE = b'{"jsonrpc":"2.0","id":"cardtrail-probe","result":' + TASK + b"}"
NO_STREAM = [
    *(
        (Reply(body, 200, SSE), "empty-stream")
        for body in (b": hi\n\n: hi\n\n", b"data:\n\n", b"retry: 5\n\nid: 3\n\n")
    ),
    (Reply(b"data: " + DONE, 200, SSE), "empty-stream"),  # cut before the event was complete
    *(
        (Reply(body, status, head), "empty-stream")
        for body, status, head in ((b"", 204, {}), (b"", 200, JSON), (b" \n", 200, {}))
    ),
    *(
        (Reply(body, 200, SSE), "not-a2a")
        for body in (b"data: [DONE]\n\n", b"event: ping\ndata: {}\n\n", b"data: null\n\n")
    ),
    (Reply(b"data: " + DONE + b"\n\n", 200, TEXT), "not-a-stream"),
    (Reply(DONE + b"\n", 200, {"Content-Type": "application/x-ndjson"}), "not-a-stream"),
    *((Reply(b"", status, {}), "no-route") for status in (404, 405)),
]
NOTHING_LEARNED = [
    *(
        Reply(b"", status, {})
        for status in (302, 400, 406, 407, 408, 410, 411, 413, 415, 420, 425, 429, 502, 503, 504, 509, 529)
    ),
    *(Reply(b"later, please", status, TEXT) for status in (400, 408, 420, 425, 429, 500, 502, 503, 504, 529)),
    Reply({"jsonrpc": "2.0", "id": "1", "error": {"code": -32000, "message": "rate limit exceeded"}}),
    Reply({"jsonrpc": "2.0", "id": "1", "error": {"code": -32603, "message": "too many requests"}}, 429),
]
NOTHING_LEARNED_BY_A_STREAM = [
    Reply(b'data: {"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"busy"}}\n\n', 200, SSE),
    Reply(b"\x1f\x8b\x08junk", 200, SSE | {"Content-Encoding": "gzip"}),
]


def test_an_answer_without_one_event_contradicts_whatever_form_it_has() -> None:
    with AgentHost() as host:
        for reply, reason in NO_STREAM:
            host.serve("/rpc", reply)
            (trial,) = ask(host.ca_file, profile(host.url("")), STREAM)
            assert (trial.judged.outcome, trial.judged.reason) == ("contradicted", reason), reply


@pytest.mark.parametrize(
    ("probe", "replies"),
    [(STREAM, [*NOTHING_LEARNED, *NOTHING_LEARNED_BY_A_STREAM]), (ANSWERS, NOTHING_LEARNED)],
)
def test_an_answer_of_somebody_on_the_way_or_of_one_who_is_busy_contradicts_nothing(
    probe: str, replies: list[Reply]
) -> None:
    with AgentHost() as host:
        for reply in replies:
            host.serve("/rpc", reply)
            (trial,) = ask(host.ca_file, profile(host.url("")), probe)
            assert (reply, trial.judged.outcome) == (reply, "inconclusive")
            assert trial.judged.reason


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("id_", ["another", 7, [], {"a": 1}, True])
def test_the_answer_to_another_request_is_no_evidence(id_: object, *, streams: bool) -> None:
    done = json.loads(DONE) | {"id": id_}
    body = b"data: " + json.dumps(done).encode() + b"\n\n" if streams else json.dumps(done).encode()
    with AgentHost() as host:
        host.serve("/rpc", Reply(body, 200, SSE if streams else JSON))
        for probe in (STREAM, INPUT) if streams else (STREAM, INPUT, OUTPUT):
            (trial,) = ask(host.ca_file, profile(host.url("")), probe)
            assert (trial.judged.outcome, trial.judged.reason) == ("inconclusive", "answer-mismatched")


@pytest.mark.parametrize("said", [{"id": None}, {}])
def test_an_answer_that_names_no_request_is_taken_for_ours(said: dict[str, None]) -> None:
    done = {name: value for name, value in json.loads(DONE).items() if name != "id"} | said
    with AgentHost() as host:
        host.serve("/rpc", Reply(done))
        (trial,) = ask(host.ca_file, profile(host.url("")), INPUT)
        assert trial.judged.outcome == "held"


def test_a_gateway_that_holds_events_back_is_seen_by_the_agents_own_clock() -> None:
    with agent(pause_s=2.0) as (_, proxy):
        made = profile(proxy.base)
        proxy.lie("*", "buffer")
        (trial,) = ask(proxy.ca_file, made, STREAM)
        assert (trial.judged.outcome, trial.judged.reason) == ("contradicted", "buffered")
        proxy.lie("*", "")
        (trial,) = ask(proxy.ca_file, made, STREAM)
        assert trial.judged.outcome == "held"
        assert trial.seen.latency_ms < 2_000


@pytest.mark.parametrize("lie", ["silent", "slow"])
def test_a_stream_that_says_nothing_is_given_up_in_time_and_proves_nothing(lie: str) -> None:
    with agent() as (_, proxy):
        proxy.lie("*", lie)
        (trial,) = ask(proxy.ca_file, profile(proxy.base), STREAM, total_s=0.5)
        assert (trial.judged.outcome, trial.judged.reason) == ("inconclusive", "total-timeout")
        assert trial.seen.latency_ms < 1_000 * PATIENCE_S


def test_what_a_server_asks_us_to_wait_is_heard() -> None:
    with agent() as (_, proxy):
        proxy.lie("*", "throttle")
        (trial,) = ask(proxy.ca_file, profile(proxy.base), STREAM)
        assert trial.seen.answer is not None
        assert trial.seen.answer.retry_after_s == 7


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="this system does not list open files")
def test_streams_cut_again_and_again_leave_no_connection_open() -> None:
    open_files: list[int] = []
    with agent() as (_, proxy):
        proxy.lie("*", "giant")
        count = lambda: open_files.append(len(list(DESCRIPTORS.iterdir())))  # noqa: E731 — one line of a test
        trials = ask(proxy.ca_file, profile(proxy.base), *[STREAM] * 40, after=count)
        assert {trial.judged.reason for trial in trials} == {"event-too-large"}
        assert max(open_files[5:]) - open_files[0] <= 5


def test_a_task_that_a_probe_left_running_is_cancelled() -> None:
    working = {"task": {"id": "t-1", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}}
    with AgentHost() as host:
        host.serve("/rpc", lambda seen: _rpc(seen, {"SendStreamingMessage": {"result": working}}, streams=True))
        (trial,) = ask(host.ca_file, profile(host.url("")), STREAM)
        assert trial.judged.outcome == "held"
        methods = [json.loads(seen.body)["method"] for seen in host.seen]
        assert methods == ["SendStreamingMessage", "CancelTask"]
        assert json.loads(host.seen[1].body)["params"] == {"id": "t-1"}


def test_a_task_whose_id_leads_to_another_path_is_not_asked_about_and_what_was_seen_still_counts() -> None:
    working = {"task": {"id": "..", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}}
    with AgentHost() as host:
        made = profile(host.url(""), binding="HTTP+JSON")
        assert made.interface is not None
        path = f"{urlsplit(made.interface.url).path.rstrip('/')}/message:stream"
        said = f"data: {json.dumps(working)}\n\n".encode()
        host.serve(path, Reply(said, 200, {"Content-Type": "text/event-stream"}))
        (trial,) = ask(host.ca_file, made, STREAM)
        assert (trial.judged.outcome, trial.seen.task) == ("held", "..")
        assert [seen.path for seen in host.seen] == [path]


@pytest.mark.parametrize(("said", "spoken", "method"), [("1.0", "0.3", "tasks/get"), ("0.3", "1.0", "GetTask")])
def test_a_version_that_is_not_spoken_is_recorded_with_the_one_that_is(said: str, spoken: str, method: str) -> None:
    with AgentHost() as host:
        host.serve("/rpc", lambda seen: _rpc(seen, {method: {"error": {"code": -32001, "message": "no such task"}}}))
        (trial,) = ask(host.ca_file, _speaking(profile(host.url("")), said), ANSWERS)
        assert (trial.judged.outcome, trial.judged.reason) == ("contradicted", "method-unknown")
        assert f"JSONRPC {spoken} answers instead" in trial.judged.detail


def test_a_card_that_answers_beside_an_endpoint_that_does_not_is_two_findings() -> None:
    with AgentHost() as host:
        host.serve("/rpc", Reply(b"oops", 500, {"Content-Type": "text/plain"}))
        (trial,) = ask(host.ca_file, profile(host.url("")), ANSWERS)
        assert (trial.judged.outcome, trial.judged.reason) == ("inconclusive", "server-error")


def test_a_required_extension_that_we_know_is_activated_and_one_that_we_do_not_leaves_nothing_to_test() -> None:
    with agent() as (_, proxy):
        known = {"streaming": True, "extensions": [{"uri": "https://e/known", "required": True}]}
        (trial,) = ask(proxy.ca_file, profile(proxy.base, capabilities=known), STREAM)
        assert trial.judged.outcome == "held"
        assert proxy.calls[-1][2]["a2a-extensions"] == "https://e/known"
        unknown = {"streaming": True, "extensions": [{"uri": "https://e/unknown", "required": True}]}
        assert not profile(proxy.base, capabilities=unknown).usable


@pytest.mark.parametrize(
    "answer", [{"name": "ours"}, {"n": 10**60}, {"a": [{}] * 500}, {"name": "\u202e"}, [], None, "x"]
)
def test_whatever_an_agent_answers_the_prober_goes_on(answer: object) -> None:
    with AgentHost() as host:
        answers = {"GetExtendedAgentCard": {"result": answer}, "GetTask": {"result": answer}}
        host.serve("/rpc", lambda seen: _rpc(seen, answers))
        made = profile(host.url(""), capabilities={"extendedAgentCard": True})
        extended, task = ask(host.ca_file, made, "extended-card", ANSWERS)
        assert (extended.judged.outcome, extended.judged.reason) == ("contradicted", "not-a-card")
        assert task.judged.outcome == "inconclusive"


def test_an_extended_card_is_readable_and_another_than_the_public_one() -> None:
    with AgentHost() as host:
        other = card(host.url(""), version="9.9.9")
        host.serve("/rpc", lambda seen: _rpc(seen, {"GetExtendedAgentCard": {"result": other}}))
        made = profile(host.url(""), capabilities={"extendedAgentCard": True})
        (extended,) = ask(host.ca_file, made, "extended-card")
        assert (extended.judged.outcome, extended.judged.reason) == ("held", "distinct")


def _speaking(made: Profile, version: str) -> Profile:
    assert made.interface is not None
    return made.model_copy(update={"interface": made.interface.model_copy(update={"version": version})})


def _rpc(seen: Seen, answers: dict[str, dict[str, object]], *, streams: bool = False) -> Reply:
    asked = json.loads(seen.body)
    unknown = {"error": {"code": -32601, "message": "Method not found"}}
    body = {"jsonrpc": "2.0", "id": asked["id"], **answers.get(asked["method"], unknown)}
    if streams and "result" in body:
        return Reply(b"data: " + json.dumps(body).encode() + b"\n\n", 200, {"Content-Type": "text/event-stream"})
    return Reply(body)
