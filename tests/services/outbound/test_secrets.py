"""No secret is logged, at any level, by anything on the way out; a renewed client certificate is shown from then on."""

import asyncio
import base64
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.outbound.call import Answer, Call
from cardtrail.services.outbound.credentials import build
from cardtrail.services.settings import CredentialSettings
from tests.agent_host import AgentHost, Reply
from tests.services.outbound.doors import HERE, door, refusal, send

SECRET, TOKEN, COOKIE = "s3cret-Value", "t0ken-Granted", "c00kie-Served"  # the words to look for
KINDS: tuple[dict[str, Any], ...] = (
    {"kind": "bearer"},
    {"kind": "basic", "username": "me"},
    {"kind": "api-key", "name": "X-Key"},
    {"kind": "api-key", "name": "k", "location": "query"},
    {"kind": "api-key", "name": "k", "location": "cookie"},
    {"kind": "oauth2", "client_id": "me", "networks": ("127.0.0.0/8",)},
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind['kind']}-{kind.get('location', '')}")
def test_no_log_line_of_any_level_holds_a_secret(
    host: AgentHost, tmp_path: Path, kind: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "secret").write_text(SECRET)
    token_url = {"token_url": host.url("/token")} if kind["kind"] == "oauth2" else {}
    settings = CredentialSettings.model_validate(
        {"hosts": ("agent.example",), "file": tmp_path / "secret", **kind, **token_url}
    )
    credential = build("partner", settings)
    for path in ("/card", f"/card?k={SECRET}"):
        host.serve(path, Reply({}, headers={"Set-Cookie": f"a={COOKIE}"}))
    host.serve("/token", {"access_token": TOKEN, "token_type": "Bearer"})
    host.serve("/broken", Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", ends="reset"))
    calls = [Call(host.url(path), HERE, credential=credential) for path in ("/card", "/broken", "/nowhere")]
    found = send(door(host), *calls)
    assert isinstance(found[0], Answer)
    assert SECRET in host.seen[0].path + "".join(host.seen[0].headers.values()) or kind["kind"] in {"basic", "oauth2"}
    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    said = caplog.text + repr(found) + "".join(str(record.args) + str(record.msg) for record in caplog.records)
    assert "httpcore" in said, "the transport speaks at this level, so there is something to look through"
    for word in (SECRET, TOKEN, basic):
        assert word not in said


def echoes(secret: str) -> Iterator[tuple[str, Reply]]:
    """Every place of an answer in which a server may repeat what it was sent."""
    split = [f'{{"said": "{secret[:4]}'.encode(), f'{secret[4:]}"}}'.encode()]
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in secret)
    within = [f'{{"said": "{escaped[:9]}'.encode(), f'{escaped[9:]}"}}'.encode()]
    yield "in a body", Reply({"said": f"hello {secret}"})
    yield "in a body of two pieces", Reply(chunks=split)
    yield "in escapes as a member", Reply(f'{{"{escaped}": 1}}'.encode())
    yield "in escapes in two pieces", Reply(chunks=within)
    yield "in some escapes", Reply(f'{{"said": "{secret[:2]}{escaped[12:]}"}}'.encode())
    yield "in capitals", Reply({"said": secret.upper()})
    yield "in an error", Reply({"error": {"message": f"{secret} has no right to this"}}, status=403)
    yield "in a header", Reply({}, headers={"X-Seen": secret})
    yield "in a media type", Reply({}, headers={"Content-Type": f"text/{secret}"})
    yield "in a redirect", Reply({}, status=302, headers={"Location": f"/{secret}/card?k={secret}"})
    yield "in a broken status line", Reply(raw=f"HTTP/1.1 {secret}\r\n\r\n".encode(), ends="close")
    yield "in a broken header", Reply(raw=f"HTTP/1.1 200 OK\r\n{secret}\r\n\r\n".encode(), ends="close")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind['kind']}-{kind.get('location', '')}")
def test_an_answer_that_repeats_the_secret_is_refused_without_its_words(
    host: AgentHost, tmp_path: Path, kind: dict[str, Any]
) -> None:
    (tmp_path / "secret").write_text(SECRET)
    token_url = {"token_url": host.url("/token")} if kind["kind"] == "oauth2" else {}
    host.serve("/token", {"access_token": TOKEN, "token_type": "Bearer"})
    settings = CredentialSettings.model_validate(
        {"hosts": ("agent.example",), "file": tmp_path / "secret", **kind, **token_url}
    )
    credential = build("partner", settings)
    secret = TOKEN if kind["kind"] == "oauth2" else SECRET
    for where, reply in echoes(secret):
        host.serve("/card", reply)
        host.serve(f"/card?k={SECRET}", reply)
        found = refusal(door(host), Call(host.url("/card"), HERE, credential=credential))
        assert found.reason in {"credential-echoed", "protocol-broken"}, where
        assert secret not in repr(found), where
        (told,) = send(door(host), Call(host.url("/card"), HERE))
        said = repr(told).lower().replace("\\\\", "\\")
        assert secret.lower() in said or "\\u00" in said, f"{where}: without a credential nothing is left out"


def test_a_secret_that_no_header_can_carry_is_not_quoted(host: AgentHost, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret\x00Value")
    settings = CredentialSettings(kind="bearer", hosts=("agent.example",), file=tmp_path / "secret")
    found = refusal(door(host), Call(host.url("/card"), HERE, credential=build("partner", settings)))
    assert "s3cret" not in repr(found)


def test_a_client_certificate_renewed_on_disk_is_the_one_that_is_shown(host: AgentHost, tmp_path: Path) -> None:
    pem, names = tmp_path / "client.pem", ("first.example", "second.example")
    settings = CredentialSettings(kind="mtls", hosts=("agent.example",), certificate=pem)
    credential = build("partner", settings)
    chains = [host.ca.issue_cert(name).private_key_and_cert_chain_pem.bytes() for name in names]
    with AgentHost("agent.example", ca=host.ca, client_certificates=True) as strict:
        strict.serve("/card", {})

        async def run() -> list[object]:
            found: list[object] = []
            call = Call(strict.url("/card"), HERE, credential=credential)
            async with door(strict) as opened:
                for chain in (*chains, b"no certificate at all"):
                    pem.write_bytes(chain)
                    found += [await opened.send(call), await opened.send(call)]
            return found

        found = asyncio.run(run())
        assert [isinstance(one, Answer) for one in found] == [True] * 4 + [False] * 2
        assert strict.connections == 2, "one connection for each certificate, kept while it is the same"
        assert getattr(found[-1], "reason", "") == "credential-missing"
