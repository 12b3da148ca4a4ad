"""One classification of refusals, and both doors under it: the look that tells a fact, and the command that exits with a code."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events.card_refused import CardRefused
from cardtrail.projections.trouble import trouble_kind
from tests.agent_host import AgentHost, Reply, drip, endless, gzip_bomb, redirect
from tests.services.cli.program import cardtrail
from tests.services.fetcher.looks import WELL_KNOWN, Watch, refused
from tests.streams import PATIENCE_S

HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{}"
HTML = {"Content-Type": "text/html"}
UNREADABLE, UNREACHABLE = 3, 4
ANSWERS: dict[str, tuple[Callable[[], Reply], str, int]] = {
    "hostile redirect": (lambda: redirect("https://169.254.169.254/x"), "redirect-target", UNREADABLE),
    "private redirect": (lambda: redirect("https://10.0.0.1/"), "redirect-target", UNREADABLE),
    "cleartext redirect": (lambda: redirect("http://localhost/", 307), "redirect-target", UNREADABLE),
    "broken redirect": (lambda: redirect("https://["), "redirect-target", UNREADABLE),
    "foreign redirect": (lambda: redirect("https://evil.example/", 308), "redirect-refused", UNREADABLE),
    "own redirect": (lambda: redirect("/elsewhere"), "redirect-refused", UNREADABLE),
    "too large": (endless, "body-too-large", UNREADABLE),
    "bomb": (gzip_bomb, "decompressed-too-large", UNREADABLE),
    "page": (lambda: Reply(b"<html>", headers=HTML), "content-type", UNREADABLE),
    "untyped": (lambda: Reply(b"{}", headers={"Content-Type": ""}), "content-type", UNREADABLE),
    "long headers": (lambda: Reply(headers={"X": "y" * 40_000}), "headers-too-large", UNREADABLE),
    "endless headers": (
        lambda: Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000, ends="hang"),
        "headers-too-large",
        UNREADABLE,
    ),
    "no HTTP": (lambda: Reply(raw=b"SSH-2.0-x\r\n\r\n", ends="close"), "protocol-broken", UNREADABLE),
    "no body": (lambda: Reply(b"", 204), "status-unexpected", UNREADABLE),
    "304 unasked": (lambda: Reply(b"", 304), "not-modified-unasked", UNREADABLE),
    "no JSON": (lambda: Reply(b'{"a":'), "json-syntax", UNREADABLE),
    "no card": (lambda: Reply({"x": 1}), "not-a-card", UNREADABLE),
    "drip": (lambda: drip(b"x" * 90, 0.05), "total-timeout", UNREACHABLE),
    "silence": (lambda: Reply(raw=b"", ends="hang"), "total-timeout", UNREACHABLE),
    "cut by reset": (lambda: Reply(raw=HALF, ends="reset"), "connection-lost", UNREACHABLE),
    "cut by end": (lambda: Reply(raw=HALF, ends="close"), "connection-lost", UNREACHABLE),
    "closed": (lambda: Reply(raw=b"", ends="close"), "connection-lost", UNREACHABLE),
    "unknown caller": (lambda: Reply({}, 401), "unauthorized", UNREACHABLE),
    "nothing there": (lambda: Reply({}, 404), "not-found", UNREACHABLE),
    "throttled": (lambda: Reply({}, 429), "throttled", UNREACHABLE),
    "down": (lambda: Reply(b"<html>", 503, HTML), "unavailable", UNREACHABLE),
}


@pytest.fixture(scope="module")
def host() -> Iterator[AgentHost]:
    with AgentHost("localhost") as host:
        yield host


@pytest.mark.parametrize("name", ANSWERS)
def test_the_live_view_and_the_command_line_call_an_answer_the_same(host: AgentHost, tmp_path: Path, name: str) -> None:
    page, reason, code = ANSWERS[name]
    host.serve(WELL_KNOWN, page())
    total_s = 2 if reason == "total-timeout" else PATIENCE_S
    live = refused(Watch(host, kind="card-url", path=WELL_KNOWN).look(total_s=total_s))
    assert (live.reason, trouble_kind(live)) == (reason, "unreadable" if code == UNREADABLE else "unreachable")
    settings = tmp_path / "cardtrail.toml"
    settings.write_text(f'[tls]\nca_bundle = "{host.ca_file}"\n[limits]\nfetch_total_s = {total_s}\n')
    host.serve(WELL_KNOWN, page())
    done = cardtrail(
        "lint", host.url(WELL_KNOWN), "--network", "127.0.0.0/8", "--config", settings, "--json", cwd=tmp_path
    )
    error = done.json["error"]
    assert done.code == error["exit"] == code
    assert reason in f"{error['code']} {error['message']}"
    assert "--network" not in (error["hint"] or ""), "nobody is invited to follow where the agent points"
    assert (error["hint"] == "did a login page answer?") is (name == "page")


def fact(**said: Any) -> CardRefused:
    return CardRefused.model_validate({"agent": "a", "stage": "fetch", "reason": "x", **said})


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (fact(stage="verify", status=200), "signature"),
        (fact(stage="validate"), "unreadable"),
        (fact(stage="policy", status=200, reason="cross-origin-interface"), "unreadable"),
        (fact(stage="policy", reason="private"), "unreachable"),
        (fact(stage="connect", reason="certificate-expired"), "unreachable"),
        (fact(stage="parse", fault="ours"), "unreachable"),
        (fact(status=200, reason="total-timeout", fault="network"), "unreachable"),
        (fact(status=500, reason="protocol-broken"), "unreachable"),
    ],
)
def test_a_fault_of_ours_or_of_the_network_says_nothing_of_the_card(event: CardRefused, kind: str) -> None:
    assert trouble_kind(event) == kind
