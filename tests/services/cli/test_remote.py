"""Cards by URL, against a real provider over TLS."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cardtrail.services.card.sign import sign
from tests.agent_host import AgentHost, Reply
from tests.services.card.signers import PRIVATE, public
from tests.services.cli.cards import card, lock, written
from tests.services.cli.program import Done, cardtrail

Ask = Callable[..., Done]
LOCAL = ("--network", "127.0.0.0/8")


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("localhost") as host:
        yield host


@pytest.fixture
def ask(host: AgentHost, tmp_path: Path) -> Ask:
    settings = written(tmp_path / "cardtrail.toml", f'[tls]\nca_bundle = "{host.ca_file}"\n')

    def asked(*arguments: str | Path) -> Done:
        return cardtrail(*arguments, cwd=tmp_path, CARDTRAIL_CONFIG=str(settings))

    return asked


def test_a_base_url_is_looked_up_at_the_well_known_path(host: AgentHost, ask: Ask) -> None:
    host.serve("/.well-known/agent-card.json", card())
    done = ask("lint", host.url(""), *LOCAL, "--json")
    assert (done.code, done.json["shape"]) == (0, "1.0")
    assert host.paths() == ["/.well-known/agent-card.json", "/.well-known/agent.json"]


def test_a_card_at_its_old_place_is_found(host: AgentHost, ask: Ask) -> None:
    host.serve("/.well-known/agent.json", card())
    assert ask("lint", host.url(""), *LOCAL).code == 0


def test_lint_says_what_is_odd_about_the_way_a_card_was_had(host: AgentHost, ask: Ask, tmp_path: Path) -> None:
    host.serve("/.well-known/agent-card.json", card())
    host.serve("/.well-known/agent.json", card(version="0.1"))
    done = ask("lint", host.url(""), *LOCAL, "--fail-on", "warning", "--out", f"sarif={tmp_path / 'lint.sarif'}")
    assert done.code == 1
    assert done.out.startswith("warning CT101 ")
    results = json.loads((tmp_path / "lint.sarif").read_text())["runs"][0]["results"]
    assert "CT101" in {one["ruleId"] for one in results}
    host.forget("/.well-known/agent-card.json")
    assert "CT100" in {one["code"] for one in ask("lint", host.url(""), *LOCAL, "--json").json["findings"]}


def test_a_card_under_a_name_of_its_own_is_asked_for_there_and_nowhere_else(host: AgentHost, ask: Ask) -> None:
    host.serve("/agents/fx/agentCard/v1.0", card())
    missing = ask("lint", host.url("/agents/fx/agentCard/v1.0"), *LOCAL)
    assert (missing.code, "--exact" in missing.err) == (4, True)
    host.seen.clear()
    assert ask("lint", host.url("/agents/fx/agentCard/v1.0"), "--exact", *LOCAL).code == 0
    assert host.paths() == ["/agents/fx/agentCard/v1.0"]


def test_an_address_that_nobody_opened_is_not_called(host: AgentHost, ask: Ask) -> None:
    done = ask("lint", host.url())
    assert done.code == 2
    assert done.err.startswith("error[target-forbidden] ")
    assert "--network" in done.err
    assert host.seen == []


def test_the_lock_line_is_the_place_of_a_finding_about_a_remote_card(host: AgentHost, ask: Ask, tmp_path: Path) -> None:
    host.serve("/.well-known/agent-card.json", card(capabilities={}))
    written(tmp_path / "trip.lock.json", lock())
    done = ask("check", "trip.lock.json", host.url(), *LOCAL)
    assert done.code == 1
    assert "streaming-withdrawn  capabilities.streaming  trip.lock.json:10:16  " in done.out


def test_a_login_page_gives_review_and_exit_three(host: AgentHost, ask: Ask, tmp_path: Path) -> None:
    page = Reply(b"<html>please log in", headers={"Content-Type": "text/html"})
    host.serve("/.well-known/agent-card.json", page)
    host.serve("/.well-known/agent.json", page)
    written(tmp_path / "trip.lock.json", lock())
    done = ask("check", "trip.lock.json", host.url(""), *LOCAL, "--json")
    assert (done.code, done.json["verdict"]) == (3, "review")
    assert [finding["rule"] for finding in done.json["findings"]] == ["card-unreadable"]
    assert done.json["error"]["code"] == "card-unreadable"


def test_an_agent_that_does_not_answer_is_exit_four(host: AgentHost, ask: Ask, tmp_path: Path) -> None:
    written(tmp_path / "trip.lock.json", lock())
    gone = ask("check", "trip.lock.json", host.url(""), *LOCAL)
    assert (gone.code, gone.err.split()[0]) == (4, "error[agent-unreachable]")
    closed = ask("check", "trip.lock.json", "https://localhost:1/.well-known/agent-card.json", *LOCAL, "--json")
    assert (closed.code, closed.json["error"]["exit"]) == (4, 4)


def test_pin_says_what_lies_on_other_hosts_before_it_is_pinned(host: AgentHost, ask: Ask) -> None:
    elsewhere = {"url": "https://other.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    host.serve("/.well-known/agent-card.json", Reply(card(supportedInterfaces=[elsewhere])))
    done = ask("pin", host.url(""), "--network", "127.0.0.0/8", "--workflow", "w", "--everything")
    assert "CT031 $.supportedInterfaces[0].url" in done.err
    told = ask("pin", host.url(""), "--network", "127.0.0.0/8", "--workflow", "w", "--everything", "--json").json
    assert "CT031" in {one["code"] for one in told["findings"]}


def test_verify_takes_keys_from_a_url_or_from_the_settings_and_asks_nobody_whom_the_card_names(
    host: AgentHost, tmp_path: Path, ask: Ask
) -> None:
    evil = "https://evil.example/jwks.json"
    signed = sign(card(), PRIVATE["ec"], jku=evil)
    host.serve("/.well-known/agent-card.json", signed)
    host.serve("/jwks.json", {"keys": [public("ec")]})
    keys = host.url("/jwks.json")
    done = ask("verify", host.url(""), *LOCAL, "--keys", keys, "--json")
    assert (done.code, done.json["outcome"]) == (0, "verified")
    origin = host.url("")
    (tmp_path / "cardtrail.toml").write_text(
        f'[tls]\nca_bundle = "{host.ca_file}"\n[keys."{origin}"]\nurls = ["{keys}"]\nnetworks = ["127.0.0.0/8"]\n'
    )
    ours = ("--config", tmp_path / "cardtrail.toml", "--network", "127.0.0.0/8")
    assert ask("verify", host.url(""), *ours, "--require").code == 0
    (tmp_path / "cardtrail.toml").write_text(f'[tls]\nca_bundle = "{host.ca_file}"\n')
    assert ask("verify", host.url(""), *ours, "--require").code == 3
    assert all(seen.headers["host"].startswith("localhost") for seen in host.seen)
    assert {seen.headers.get("a2a-version") for seen in host.seen if "agent-card" in seen.path} == {"1.0"}
