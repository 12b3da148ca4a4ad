"""Each probe holds on an agent that keeps the claim, contradicts on one that breaks it, and else is silent."""

import json

import pytest

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Alternative, Extension, Interface, Profile, SkillProfile
from cardtrail.services.prober.probe import Seen
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.wire.answer import read_answer
from cardtrail.services.wire.errors import CODE_OF

INTERFACE = Interface(url="https://a.example/rpc", binding="JSONRPC", version="1.0")
OPEN = Profile(
    usable=True,
    interface=INTERFACE,
    streaming=True,
    extended_card=True,
    extensions=(Extension(uri="https://e/1", required=True, known=True),),
    skills={"quote": SkillProfile(input=("application/json",), output=("application/json",))},
)
GUARDED = OPEN.model_copy(update={"security": (Alternative(schemes={"key": ()}),)})
MESSAGE = {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": {}, "mediaType": "application/json"}]}


def error(name: str, status: int = 200) -> Seen:
    body = {"jsonrpc": "2.0", "id": 1, "error": {"code": CODE_OF[name], "message": ""}}
    return Seen(answer=read_answer("JSONRPC", status, "application/json", body))


def result(value: object, **more: object) -> Seen:
    answer = read_answer("JSONRPC", 200, "application/json", {"jsonrpc": "2.0", "id": 1, "result": value})
    return Seen.model_validate({"answer": answer, **more})


def status(code: int, media: str = "text/html") -> Seen:
    return Seen(answer=read_answer("JSONRPC", code, media, DocumentRefused("json-syntax", "html")))


def stream(events: int) -> Seen:
    return Seen(answer=read_answer("JSONRPC", 200, "text/event-stream", None), events=events)


JSON_PART = {"message": {"parts": [{"data": {}}]}}
PDF_PART = {"task": {"artifacts": [{"parts": [{"raw": "", "mediaType": "application/pdf"}]}]}}
CASES = [
    ("binding-answers", OPEN, error("TaskNotFoundError"), "held"),
    ("binding-answers", OPEN, error("TaskNotFoundError", 404), "held"),
    ("binding-answers", OPEN, error("MethodNotFoundError"), "contradicted"),
    ("binding-answers", OPEN, error("VersionNotSupportedError", 500), "contradicted"),
    ("binding-answers", OPEN, status(200), "contradicted"),
    ("binding-answers", OPEN, status(501), "contradicted"),
    ("binding-answers", OPEN, status(500), "inconclusive"),
    ("binding-answers", OPEN, status(429), "inconclusive"),
    ("version-enforced", OPEN, error("VersionNotSupportedError"), "held"),
    ("version-enforced", OPEN, error("TaskNotFoundError"), "inconclusive"),
    ("security-required", GUARDED, status(401), "held"),
    ("security-required", GUARDED, error("TaskNotFoundError"), "contradicted"),
    ("security-required", OPEN, status(401), "contradicted"),
    ("security-required", OPEN, error("TaskNotFoundError"), "held"),
    ("security-required", OPEN, status(503), "inconclusive"),
    ("extended-card", OPEN, result({"name": "x"}, distinct_card=True), "held"),
    ("extended-card", OPEN, result({"name": "x"}, distinct_card=False), "inconclusive"),
    ("extended-card", OPEN, error("ExtendedAgentCardNotConfiguredError"), "contradicted"),
    ("extended-card", OPEN, error("UnsupportedOperationError"), "contradicted"),
    ("extended-card", OPEN, status(403), "inconclusive"),
    ("streaming", OPEN, stream(1), "held"),
    ("streaming", OPEN, stream(0), "contradicted"),
    ("streaming", OPEN, result(JSON_PART), "contradicted"),
    ("streaming", OPEN, error("UnsupportedOperationError"), "contradicted"),
    ("streaming", OPEN, error("MethodNotFoundError"), "contradicted"),
    ("streaming", OPEN, status(200, "text/plain"), "contradicted"),
    ("streaming", OPEN, status(500, "text/plain"), "inconclusive"),
    ("streaming", OPEN, Seen(fault="timeout"), "inconclusive"),
    ("streaming", OPEN, error("InvalidParamsError"), "inconclusive"),
    ("input-mode", OPEN, result(JSON_PART), "held"),
    ("input-mode", OPEN, error("ContentTypeNotSupportedError"), "contradicted"),
    ("input-mode", OPEN, status(429), "inconclusive"),
    ("output-mode", OPEN, result(JSON_PART), "held"),
    ("output-mode", OPEN, result(PDF_PART), "contradicted"),
    ("output-mode", OPEN, result({"task": {"id": "t"}}), "inconclusive"),
    ("extension-enforced", OPEN, error("ExtensionSupportRequiredError"), "held"),
    ("extension-enforced", OPEN, result(JSON_PART), "inconclusive"),
]


@pytest.mark.parametrize(("probe", "profile", "seen", "outcome"), CASES)
def test_a_probe_judges_what_came_back(probe: str, profile: Profile, seen: Seen, outcome: str) -> None:
    chosen = PROBES[probe]
    claim = chosen.claims(profile)[0]
    judged = chosen.judge(profile, claim, seen)
    assert judged.outcome == outcome
    assert outcome != "inconclusive" or judged.reason


def test_every_probe_has_a_case_that_holds_and_one_that_does_not() -> None:
    assert {case[0] for case in CASES if case[3] == "held"} == set(PROBES)
    assert {case[0] for case in CASES if case[3] != "held"} == set(PROBES)


@pytest.mark.parametrize("probe", sorted(PROBES))
def test_throttling_and_our_own_faults_are_never_evidence(probe: str) -> None:
    chosen = PROBES[probe]
    claim = chosen.claims(OPEN)[0]
    for seen in (status(429), status(503), Seen(fault="connect"), Seen()):
        assert chosen.judge(OPEN, claim, seen).outcome == "inconclusive"


def test_probes_that_run_no_message_send_none() -> None:
    for probe in PROBES.values():
        claim = probe.claims(OPEN)[0]
        sent = probe.attempt(INTERFACE, OPEN, claim, MESSAGE).request
        runs = json.loads(sent.body)["method"] in {"SendMessage", "SendStreamingMessage"}
        assert runs == probe.runs_message


def test_a_required_extension_is_left_out_only_by_its_own_probe() -> None:
    left_out = PROBES["extension-enforced"].attempt(
        INTERFACE, OPEN, Claim(kind="extension-enforced", value="https://e/1"), MESSAGE
    )
    assert "A2A-Extensions" not in left_out.request.headers
    kept = PROBES["streaming"].attempt(INTERFACE, OPEN, Claim(kind="streaming"), MESSAGE)
    assert kept.request.headers["A2A-Extensions"] == "https://e/1"


def test_a_binding_that_cannot_be_spoken_here_is_not_probed() -> None:
    grpc = OPEN.model_copy(update={"interface": INTERFACE.model_copy(update={"binding": "GRPC"})})
    assert all(probe.claims(grpc) == () for probe in PROBES.values())
