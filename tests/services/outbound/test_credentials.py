"""A credential reaches the host it was issued for and nobody else, and its secret is never shown."""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.outbound.call import Answer, Call, Credential, Refusal
from cardtrail.services.outbound.credentials import StaticCredential, build
from cardtrail.services.outbound.oauth import ClientCredentials
from cardtrail.services.outbound.secret import Secret
from cardtrail.services.settings import CredentialSettings
from tests.agent_host import AgentHost, Reply
from tests.services.outbound.doors import HERE, answer, door, refusal, send

SECRET = "s3cret-Value"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    return file


def made(secret: Path, **settings: Any) -> Credential:
    settings = {"hosts": ("agent.example",), "file": secret, **settings}
    return build("partner", CredentialSettings.model_validate(settings))


@pytest.mark.parametrize(
    ("settings", "header", "value"),
    [
        ({"kind": "bearer"}, "authorization", f"Bearer {SECRET}"),
        ({"kind": "api-key", "name": "X-Api-Key"}, "x-api-key", SECRET),
        ({"kind": "api-key", "name": "key", "location": "cookie"}, "cookie", f"key={SECRET}"),
        (
            {"kind": "basic", "username": "me"},
            "authorization",
            "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode(),
        ),
    ],
)
def test_a_secret_is_sent_as_its_kind_says(
    host: AgentHost, secret: Path, settings: dict[str, Any], header: str, value: str
) -> None:
    host.serve("/card", {})
    found = answer(door(host), Call(host.url("/card"), HERE, credential=made(secret, **settings)))
    assert host.seen[0].headers[header] == value
    assert SECRET not in repr(found)


def test_a_key_in_the_query_is_sent_and_never_named_in_the_answer(host: AgentHost, secret: Path) -> None:
    credential = made(secret, kind="api-key", name="k", location="query")
    host.serve(f"/card?v=1&k={SECRET}", {})
    found = answer(door(host), Call(host.url("/card?v=1"), HERE, credential=credential))
    assert host.seen[0].path == f"/card?v=1&k={SECRET}"
    assert found.url == host.url("/card?v=1")


@pytest.mark.parametrize("hosts", [("other.example",), ("trusted.example",), ("*.agent.example",), ()])
def test_a_credential_goes_to_no_host_it_was_not_issued_for(
    host: AgentHost, secret: Path, hosts: tuple[str, ...]
) -> None:
    credential = StaticCredential("partner", hosts, "bearer", Secret(file=secret))
    found = refusal(door(host), Call(host.url("/card"), HERE, credential=credential))
    assert (found.stage, found.reason, found.fault) == ("authenticate", "credential-foreign-host", "ours")
    assert host.connections == 0


@pytest.mark.parametrize("name", ["agent.example.evil.example", "evilagent.example"])
def test_a_host_that_only_looks_alike_gets_nothing(secret: Path, name: str) -> None:
    with AgentHost(name) as evil:
        found = refusal(door(evil), Call(evil.url("/?x=agent.example"), HERE, credential=made(secret, kind="bearer")))
        assert found.reason == "credential-foreign-host"
        assert evil.seen == []


def test_a_secret_is_read_when_used_so_a_rotated_one_is_seen(host: AgentHost, secret: Path) -> None:
    host.serve("/card", {})
    credential = made(secret, kind="bearer")
    answer(door(host), Call(host.url("/card"), HERE, credential=credential))
    secret.write_text("rotated")
    answer(door(host), Call(host.url("/card"), HERE, credential=credential))
    assert [seen.headers["authorization"] for seen in host.seen] == [f"Bearer {SECRET}", "Bearer rotated"]


def test_a_secret_from_the_environment(host: AgentHost, monkeypatch: pytest.MonkeyPatch) -> None:
    host.serve("/card", {})
    monkeypatch.setenv("PARTNER_TOKEN", SECRET)
    credential = build("partner", CredentialSettings(kind="bearer", hosts=("agent.example",), env="PARTNER_TOKEN"))
    answer(door(host), Call(host.url("/card"), HERE, credential=credential))
    assert host.seen[0].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("text", "reason"), [("", "credential-missing"), ("a\nb", "credential-broken"), ("é", "credential-broken")]
)
def test_a_secret_that_cannot_be_sent_is_our_fault(host: AgentHost, secret: Path, text: str, reason: str) -> None:
    secret.write_text(text, "utf-8")
    found = refusal(door(host), Call(host.url("/card"), HERE, credential=made(secret, kind="bearer")))
    assert (found.stage, found.reason, found.fault) == ("authenticate", reason, "ours")
    secret.unlink()
    assert (
        refusal(door(host), Call(host.url("/card"), HERE, credential=made(secret, kind="bearer"))).reason
        == "credential-missing"
    )


def oauth(host: AgentHost, secret: Path, token_host: str = "login.example") -> ClientCredentials:
    return ClientCredentials(
        "partner", ("agent.example",), "my id", Secret(file=secret), host.url("/token", token_host), ("a", "b"), HERE
    )


@pytest.fixture
def login(secret: Path) -> Any:
    with AgentHost("agent.example", "login.example") as running:
        running.serve("/card", lambda seen: Reply({"saw": seen.headers.get("authorization", "")}))
        running.serve("/token", Reply({"access_token": "gr4nted", "token_type": "Bearer", "expires_in": 3600}))
        yield running


def test_a_token_is_fetched_once_and_each_secret_stays_with_its_host(login: AgentHost, secret: Path) -> None:
    credential = oauth(login, secret)

    async def run() -> list[Answer | Refusal]:
        async with door(login) as opened:
            call = Call(login.url("/card"), HERE, credential=credential)
            return list(await asyncio.gather(*(opened.send(call) for _ in range(5))))

    found = asyncio.run(run())
    assert [getattr(one, "body", one) for one in found] == [b'{"saw": "Bearer gr4nted"}'] * 5
    (asked,) = [seen for seen in login.seen if seen.path == "/token"]
    assert (asked.host.partition(":")[0], asked.body) == ("login.example", b"grant_type=client_credentials&scope=a+b")
    assert asked.headers["authorization"] == "Basic " + base64.b64encode(f"my+id:{SECRET}".encode()).decode()
    assert "gr4nted" not in repr(credential)
    assert SECRET not in repr(credential)


def test_a_token_that_is_rejected_is_fetched_again_next_time(login: AgentHost, secret: Path) -> None:
    login.serve("/card", Reply({}, 401))
    call = Call(login.url("/card"), HERE, credential=oauth(login, secret))
    found = send(door(login), call, call)
    assert [getattr(one, "status", one) for one in found] == [401, 401]
    assert login.paths() == ["/token", "/card", "/token", "/card"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply({"error": "invalid_client"}, 401), "token-refused"),
        (Reply({"error": ["odd"]}, 400), "token-refused"),
        (Reply({"token_type": "Bearer"}), "token-refused"),
        (Reply({"access_token": "a\nb", "token_type": "Bearer"}), "token-refused"),
        (Reply({"access_token": 5, "token_type": "Bearer"}), "token-refused"),
        (Reply({"access_token": "t", "token_type": "mac"}), "token-refused"),
        (Reply({"access_token": "t", "expires_in": "soon"}, 500), "token-refused"),
        (Reply(b'{"access_token": "t", "expires_in": 1e999}', 500), "token-refused"),
        (Reply(["list"]), "token-refused"),
        (Reply(b"[" * 50_000), "token-refused"),
        (Reply(b"<html>", headers={"Content-Type": "text/html"}), "token-unreachable"),
        (Reply(raw=b"", ends="reset"), "token-unreachable"),
    ],
)
def test_a_token_endpoint_may_answer_anything(login: AgentHost, secret: Path, reply: Reply, reason: str) -> None:
    login.serve("/token", reply)
    found = refusal(door(login), Call(login.url("/card"), HERE, credential=oauth(login, secret)))
    assert (found.stage, found.reason) == ("authenticate", reason), found
    assert SECRET not in repr(found)
    assert "/card" not in login.paths()


def test_a_client_certificate_is_shown_to_the_host_it_was_issued_for(host: AgentHost, tmp_path: Path) -> None:
    certificate, key = tmp_path / "me.pem", tmp_path / "me.key"
    issued = host.ca.issue_cert("client@agent.example")
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    issued.private_key_pem.write_to_path(str(key))
    with AgentHost("agent.example", ca=host.ca, client_certificates=True) as strict:
        strict.serve("/card", {})
        settings = CredentialSettings(kind="mtls", hosts=("agent.example",), certificate=certificate, file=key)
        assert answer(door(strict), Call(strict.url("/card"), HERE, credential=build("me", settings))).status == 200
        assert refusal(door(strict), Call(strict.url("/card"), HERE)).stage in ("connect", "fetch")
        gone = settings.model_copy(update={"certificate": tmp_path / "none.pem"})
        assert (
            refusal(door(strict), Call(strict.url("/card"), HERE, credential=build("me", gone))).reason
            == "credential-missing"
        )
