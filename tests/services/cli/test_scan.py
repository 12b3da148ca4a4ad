"""A registry walked by hand, on real sockets and without a tracker: what each entry would become, and why others would not."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cardtrail.services.card.sign import sign
from cardtrail.services.cli.catalogue.schemas import schemas
from tests.agent_host import AgentHost, Reply, redirect
from tests.services.card.signers import PRIVATE, public
from tests.services.cli.cards import HOSTILE, card
from tests.services.cli.program import Done, cardtrail

CATALOG = "/.well-known/ai-catalog.json"
TYPE = "application/a2a-agent-card+json"
OTHER = "sha256:" + "0" * 64
Ask = Callable[..., Done]


def entry(identifier: str, **content: Any) -> dict[str, Any]:
    return {"identifier": identifier, "type": TYPE, "tags": ["fx"], "tenant": "eu", **content}


@pytest.fixture
def host() -> Iterator[AgentHost]:
    with AgentHost("catalog.example", "fx.example") as host:
        host.serve("/fx.json", card())
        host.serve("/moved.json", redirect("https://169.254.169.254/"))
        entries = [
            entry("urn:air:fx.example:rates", url=host.url("/fx.json", "fx.example"), digest=OTHER),
            entry("urn:air:fx.example:own", data=sign(own(host), PRIVATE["ec"])),
            entry("urn:air:fx.example:moved", url=host.url("/moved.json", "fx.example")),
            entry("urn:air:fx.example:inside", url="https://169.254.169.254/card.json"),
            entry("urn:air:fx.example:both", url="https://x.example/c", data={}),
            entry(f"urn:{HOSTILE}", url=host.url("/x.json", "fx.example")),
        ]
        host.serve(CATALOG, {"specVersion": "1.0", "entries": entries}, host="catalog.example")
        yield host


def own(host: AgentHost) -> dict[str, Any]:
    url = host.url("/a2a", "fx.example")
    return card(supportedInterfaces=[{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}])


@pytest.fixture
def ask(host: AgentHost, tmp_path: Path) -> Ask:
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [public("ec")]}))
    (tmp_path / "cardtrail.toml").write_text(
        f'[tls]\nca_bundle = "{host.ca_file}"\n[hosts]\n"catalog.example" = "127.0.0.1"\n"fx.example" = "127.0.0.1"\n'
        f'[keys]\n"https://fx.example:{host.port}" = "keys.json"\n'
        f'[registries.company]\nsource = "ai-catalog:{host.url("", "catalog.example")}"\nnetworks = ["127.0.0.0/8"]\n'
    )

    def asked(*arguments: str) -> Done:
        return cardtrail("scan", *arguments, cwd=tmp_path)

    return asked


def test_each_entry_is_an_agent_or_has_its_reason(ask: Ask, host: AgentHost) -> None:
    done = ask("company", "--json")
    Draft202012Validator(schemas()["scan"]()).validate(done.json)
    assert (done.code, done.json["complete"], done.json["entries"]) == (0, True, 6)
    names = [f"company/urn:air:fx.example:{name}@eu" for name in ("rates", "own", "moved")]
    assert [one["agent"] for one in done.json["agents"]] == names
    assert [one["target"]["kind"] for one in done.json["agents"]] == ["card-url", "document", "card-url"]
    reasons = {one["registry_id"].rpartition(":")[2]: one["reason"] for one in done.json["refused"]}
    assert (reasons["inside"], reasons["both"], "id-unusable" in reasons.values()) == ("metadata", "url-or-data", True)
    assert {seen.path for seen in host.seen} == {CATALOG, "/.well-known/ard.json"}, "no card was asked for"
    assert all(one["card"] is None for one in done.json["agents"])


def test_with_a_look_at_the_cards_it_says_what_would_come_of_each(ask: Ask) -> None:
    done = ask("company", "--look", "--json")
    Draft202012Validator(schemas()["scan"]()).validate(done.json)
    rates, embedded, moved = (one["card"] for one in done.json["agents"])
    assert (rates["refused"], rates["signature"], "CT105" in rates["findings"]) == ("", "absent", True)
    assert (embedded["refused"], embedded["signature"]) == ("", "verified")
    assert (moved["refused"], moved["kind"]) == ("policy: redirect-target", "unreadable")
    text = ask("company", "--look")
    assert "\x1b" not in text.out
    assert "ai-catalog" in text.out.splitlines()[-1]
    assert "3 agents of 6 entries would be watched" in text.out


def test_a_place_does_without_settings_of_its_own_and_is_narrowed_by_tag_and_tenant(ask: Ask, host: AgentHost) -> None:
    place = f"ai-catalog:{host.url('', 'catalog.example')}"
    local = ("--network", "127.0.0.0/8")
    assert len(ask(place, *local, "--json").json["agents"]) == 3
    assert ask(place, *local, "--tag", "hr", "--json").json["agents"] == []
    told = ask(place, *local, "--tenant", "us", "--json").json
    assert {one["reason"] for one in told["refused"]} >= {"tenant-differs"}
    forbidden = ask(place)
    assert (forbidden.code, "--network" in forbidden.err) == (4, False), "a name that leads inside is no typing error"
    inside = ask(f"ai-catalog:https://127.0.0.1:{host.port}")
    assert (inside.code, "--network" in inside.err) == (2, True)


@pytest.mark.parametrize(
    ("page", "problem", "code"),
    [
        (Reply({}, 503), "unavailable", 4),
        (Reply({}, 401), "unauthorized", 4),
        (Reply({}, 404), "not-found", 4),
        (Reply(raw=b"", ends="reset"), "connection-lost", 4),
        (redirect("https://10.0.0.1/"), "redirect-target", 3),
        (Reply(b"<html>", headers={"Content-Type": "text/html"}), "a-page-not-json", 3),
        (Reply({"entries": 7}), "not-a-catalog", 3),
        (Reply({"specVersion": "2.0", "entries": []}), "spec-version-unknown", 3),
        (Reply(b'{"entries": [], "entries": [1]}'), "json-duplicate-member", 3),
    ],
)
def test_what_is_no_whole_listing_is_an_exit_code_of_its_own(
    ask: Ask, host: AgentHost, page: Reply, problem: str, code: int
) -> None:
    host.serve(CATALOG, page, host="catalog.example")
    done = ask("company", "--json")
    assert (done.code, done.json["complete"], done.json["problem"]) == (code, False, problem)
    assert "not in whole" in ask("company").out


def test_a_list_in_a_file_is_read_where_it_lies_and_a_wrong_name_is_told(
    ask: Ask, host: AgentHost, tmp_path: Path
) -> None:
    (tmp_path / "agents.json").write_text(json.dumps([host.url("/fx.json", "fx.example"), {"id": "typo"}]))
    done = ask("agents.json", "--network", "127.0.0.0/8", "--json")
    assert (done.code, len(done.json["agents"]), done.json["problem"]) == (3, 1, "broken-item: typo url-or-data")
    wrong = ask("compny")
    assert wrong.code == 2
    assert "did you mean company?" in wrong.err
    assert ask("gopher:x").code == 2


def test_an_agent_of_the_settings_is_not_offered_twice(ask: Ask, host: AgentHost, tmp_path: Path) -> None:
    settings = tmp_path / "cardtrail.toml"
    with settings.open("a") as file:
        file.write(f'[agents.fx]\ncard_url = "{host.url("/fx.json", "fx.example")}"\n')
    reasons = [one["reason"] for one in ask("company", "--json").json["refused"]]
    assert "watched-already" in reasons


def test_a_password_in_a_plain_list_is_not_repeated_and_the_entry_is_still_named(tmp_path: Path) -> None:
    listed = ["https://mira:hunter2@fx.example/card.json", {"id": "b", "url": "//mira:hunter2@rail.example/"}]
    for items in (listed, listed[:1]):
        (tmp_path / "list.json").write_text(json.dumps(items))
        for more in ((), ("--json",)):
            done = cardtrail("scan", "list.json", *more, cwd=tmp_path)
            assert "hunter2" not in done.out + done.err
            assert "fx.example/card.json" in done.out
