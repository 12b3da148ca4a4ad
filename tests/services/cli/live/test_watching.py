"""What `track` tells: agents and locks that are new, and nothing that the log says already."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import AgentTracked, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import UsageError
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.bus.bus import Bus
from cardtrail.services.config_file import read_settings
from cardtrail.services.data_folder import audited
from cardtrail.services.declare import lock_facts
from cardtrail.services.declared import Declared, declared
from cardtrail.services.telling import operator_fact, read_locks
from cardtrail.services.verdict.lock import lock_digest
from tests.nats_server import SMALL, server
from tests.services.cli.cards import ACTIVE, HOSTILE, URL, lock, written
from tests.services.cli.program import Done, cardtrail


class Log:
    """A log without a tracker: what operators tell is all there is."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        asyncio.run(self._read())

    def say(self, *words: str | Path, code: int = 0) -> Done:
        done = cardtrail(*words, "--json", cwd=self.folder, NATS_URL=self.url, CARDTRAIL_DATA=str(self.folder))
        assert done.code == code, done
        return done

    def kinds(self, *words: str | Path) -> list[str]:
        return [fact["kind"] for fact in self.say(*words).json["facts"]]

    def declared(self) -> Declared:
        return asyncio.run(self._read())

    def tell(self, event: AgentTracked | LockfilePinned) -> None:
        """What an earlier release took; today's `track` refuses some of it."""

        async def told() -> None:
            async with Bus(self.url, streams=SMALL) as bus:
                await bus.tell([operator_fact(event, "cli")])

        asyncio.run(told())

    async def _read(self) -> Declared:
        async with Bus(self.url, streams=SMALL) as bus:
            return await declared(bus)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with server() as running:
        yield Log(running.url, tmp_path)


def pinned(**changes: Any) -> LockfilePinned:
    held = Lockfile.model_validate(lock(**changes))
    return LockfilePinned(
        agent=held.agent, workflow=held.workflow, lockfile=held, lock_digest=lock_digest(held), by=HOSTILE
    )


def file(log: Log, **changes: Any) -> Path:
    return written(log.folder / "lock.json", lock(**changes))


def test_an_agent_is_tracked_once(log: Log) -> None:
    words = ("track", "https://pricing.partner.example", "--name", "pricing", "--every", "5m", "--by", "mira")
    assert log.kinds(*words) == ["agent-tracked"]
    assert log.kinds(*words) == []
    assert log.kinds(*words[:-2], "--by", "noa") == []
    (event,) = log.declared().agents.values()
    assert (event.agent, event.target.kind, event.interval_s, event.by) == ("pricing", "base-url", 300, "mira")


def test_another_interval_is_news(log: Log) -> None:
    log.kinds("track", "pricing.partner.example", "--every", "5m")
    assert log.kinds("track", "pricing.partner.example", "--every", "10m") == ["agent-tracked"]


def test_a_lock_alone_tracks_the_agent_that_it_names_by_url(log: Log) -> None:
    assert log.kinds("track", "--lock", file(log)) == ["agent-tracked", "lockfile-pinned"]
    assert log.kinds("track", "--lock", file(log)) == []
    told = log.declared()
    assert set(told.agents) == {(URL, "public")}
    assert set(told.locks) == {("trip-planner", URL, "public")}


def test_a_lock_finds_the_agent_at_its_place(log: Log) -> None:
    log.kinds("track", URL, "--name", "pricing")
    assert log.kinds("track", "--lock", file(log)) == ["lockfile-pinned"]


def test_target_and_lock_go_together(log: Log) -> None:
    words = ("track", "https://elsewhere.example", "--name", "pricing", "--lock", file(log, agent="pricing"))
    assert log.kinds(*words) == ["agent-tracked", "lockfile-pinned"]


def test_a_changed_lock_is_pinned_anew_and_the_same_one_accepts_nothing(log: Log) -> None:
    log.kinds("track", "--lock", file(log))
    assert log.kinds("track", "--lock", file(log, owner="noa")) == ["lockfile-pinned"]
    assert log.kinds("track", "--lock", file(log, owner="noa")) == []


def test_a_lock_for_a_principal_is_that_principals(log: Log) -> None:
    log.kinds("track", "--lock", file(log, principal="desk"))
    told = log.declared()
    assert {key[1] for key in told.agents} == {"desk"}
    assert {key[2] for key in told.locks} == {"desk"}


def test_a_lock_of_a_workflow_in_the_settings_is_the_one_that_they_would_pin(log: Log) -> None:
    flow = '[workflows.trip-planner]\nlockfiles = ["lock.json"]\nowner = "ada"\nchannel = "desk"\n'
    text = flow + '[channels.desk]\nkind = "json"\nurl_env = "HOOK"\n'
    (log.folder / "cardtrail.toml").write_text(text)
    assert log.kinds("track", "--lock", file(log)) == ["agent-tracked", "lockfile-pinned"]
    told = log.declared()
    (held,) = told.locks.values()
    assert (held.lockfile.owner, held.lockfile.channel) == ("ada", "desk")
    settings = read_settings(text, "cardtrail.toml", log.folder)
    assert list(lock_facts(read_locks(settings), told.locks)) == []


def test_a_lock_on_a_name_that_nobody_tracks_is_refused_whole(log: Log) -> None:
    done = log.say("track", "--lock", file(log, agent="pricing"), code=2)
    assert done.json["error"]["code"] == "agent-unknown"
    assert log.declared() == Declared(None, {}, {}, {})


def test_a_lock_without_a_workflow_needs_one(log: Log) -> None:
    assert log.say("track", "--lock", file(log, workflow=""), code=2).json["error"]["code"] == "argument-missing"
    log.say("track", "--lock", file(log, workflow=""), "--workflow", "rail")
    assert {key[0] for key in log.declared().locks} == {"rail"}


def test_a_log_that_is_served_for_an_audit_stays_as_it_is(log: Log) -> None:
    log.kinds("track", URL, "--name", "pricing")
    told = log.declared()
    with audited(log.folder, audit=True):
        for words in (("track", "fares.example"), ("untrack", "pricing"), ("refresh", "pricing")):
            error = log.say(*words, code=2).json["error"]
            assert (error["code"], "without --audit" in error["hint"]) == ("log-audited", True), words
        assert [one["name"] for one in log.say("doctor", code=1).json["checks"] if one["name"] == "fetcher"] == []
    assert log.declared() == told


def test_who_is_to_stand_in_and_is_watched_by_nobody_is_said(log: Log) -> None:
    held = file(log, fallback=[{"agent": "fares"}])
    (note,) = log.say("track", "--lock", held).json["notes"]
    assert note.startswith(f"fares stands in for {URL}, and nobody watches it")
    log.kinds("track", "https://fares.example", "--name", "fares")
    assert log.say("track", "--lock", held).json["notes"] == []


def test_a_target_at_http_is_tracked_and_said_to_be_closed_unless_it_is_opened(log: Log) -> None:
    (note,) = log.say("track", "http://quotes.example", "--name", "quotes").json["notes"]
    assert note == "quotes is at http, which is closed: every look is refused unless it is tracked with --cleartext"
    assert log.say("track", "http://quotes.example", "--name", "quotes", "--cleartext").json["notes"] == []


def test_a_target_that_is_nothing_is_named_but_for_a_secret_in_it(log: Log) -> None:
    refused = log.say("track", "absent.json", code=2).json["error"]
    assert refused["message"] == '"absent.json" is no URL, no domain, and no file that is there'
    assert "secret" not in log.say("track", "ftp://u:secret@x.example", code=2).out


def test_nothing_at_all_is_a_usage_error(log: Log) -> None:
    assert log.say("track", code=2).json["error"]["code"] == "argument-missing"


def test_a_file_is_tracked_by_its_whole_path(log: Log) -> None:
    (log.folder / "card.json").write_text("{}")
    log.say("track", "card.json")
    (event,) = log.declared().agents.values()
    assert (event.target.kind, event.target.value) == ("file", str(log.folder / "card.json"))


def test_networks_and_hosts_are_told_as_policy(log: Log) -> None:
    log.say(
        "track", "http://10.1.2.3:8000", "--cleartext", "--network", "10.0.0.0/8", "--port", "8000", "--allow-host", "h"
    )
    (event,) = log.declared().agents.values()
    assert event.endpoints.model_dump() == {
        "allowed_hosts": ("h",),
        "cidrs": ("10.0.0.0/8",),
        "ports": (8000,),
        "cleartext": True,
        "same_origin_only": False,
    }


def test_a_card_of_one_origin_and_a_url_of_its_own_name_are_asked_for_by_option(log: Log) -> None:
    url = "https://fabric.example/agents/fx/agentCard/v1.0"
    log.say("track", url, "--exact", "--same-origin-only")
    (event,) = log.declared().agents.values()
    assert (event.target.kind, event.target.value, event.endpoints.same_origin_only) == ("card-url", url, True)


def test_untracking_and_releasing_end_what_was_told(log: Log) -> None:
    log.say("track", "--lock", file(log))
    told = log.say("untrack", URL, "--reason", "over").json
    assert told["notes"] == [f"locks still depend on it: cardtrail release trip-planner {URL}"]
    assert log.kinds("release", "trip-planner") == ["lockfile-released"]
    after = log.declared()
    assert (after.locks, after.gone) == ({}, {(URL, "public"): True})
    assert log.kinds("track", "--lock", file(log)) == ["agent-tracked", "lockfile-pinned"]


def test_facts_say_who_told_them(log: Log) -> None:
    by = log.say("track", "--lock", file(log)).json["by"]
    told = log.declared()
    events: list[AgentTracked | LockfilePinned] = [*told.agents.values(), *told.locks.values()]
    assert {event.by for event in events} == {by}
    assert "@" in by


def test_names_and_reasons_cannot_command_a_terminal_or_a_runner(log: Log) -> None:
    """What operators and providers wrote is shown as text, whoever reads it."""
    log.tell(AgentTracked(agent=HOSTILE, target=Target(kind="card-url", value=URL), by=HOSTILE))
    refused = cardtrail("track", "--lock", file(log, workflow=HOSTILE), cwd=log.folder, NATS_URL=log.url)
    assert refused.code == 3
    assert not any(mark in refused.out + refused.err for mark in ACTIVE)
    log.tell(pinned(agent=HOSTILE, workflow=HOSTILE, owner=HOSTILE))
    log.say("release", HOSTILE, "--reason", HOSTILE)
    log.tell(pinned(agent=HOSTILE, workflow=HOSTILE))
    for words in (["status"], ["agents"], ["history", HOSTILE, "--all"], ["show", HOSTILE], ["agents", "nobody"]):
        done = cardtrail(*words, cwd=log.folder, NATS_URL=log.url, GITHUB_ACTIONS="true")
        assert done.code == 0
        assert not any(mark in done.out + done.err for mark in ACTIVE)
        assert not any(line.lstrip().startswith("::") or "##[" in line for line in (done.out + done.err).splitlines())


@pytest.mark.parametrize("name", ["   ", "a\x1b[2J", "x" * 300, "pr\u0456cing", "a\u202eb", "https://u:p@a.example/"])
def test_a_name_that_nobody_can_ask_for_is_refused_and_leaves_no_fact(log: Log, name: str) -> None:
    assert "a name " in str(log.say("track", URL, "--name", name, code=2))
    assert not log.declared().agents


def test_an_agent_that_is_looked_for_elsewhere_is_said_with_who_depends_on_it(log: Log) -> None:
    log.say("track", "https://old.example", "--name", "pricing")
    (note,) = log.say("track", "https://new.example", "--name", "pricing").json["notes"]
    assert note.startswith("pricing was at https://old.example and is looked for at https://new.example from now on;")
    log.say("track", "--lock", file(log, agent="pricing"))
    done = cardtrail("track", "https://newer.example", "--name", "pricing", cwd=log.folder, NATS_URL=log.url)
    assert "note: pricing was at https://new.example" in done.err
    assert "the locks of trip-planner are judged by what is found there" in done.err
    assert log.say("track", "https://newer.example", "--name", "pricing", "--every", "5m").json["notes"] == []
    assert log.say("track", "https://other.example", "--name", "other").json["notes"] == []


@pytest.mark.parametrize("target", ["https://u:secret@x.example", "javascript:1", "http://[::1", "absent.json"])
def test_what_can_never_be_watched_is_refused_and_leaves_no_fact(log: Log, target: str) -> None:
    assert "target-unusable" in str(log.say("track", target, "--name", "a", code=2))
    assert not log.declared().agents


def test_a_password_in_a_lock_is_told_to_no_log_and_to_nobody(log: Log) -> None:
    login = "https://mira:hunter2@pricing.partner.example/"
    for member in ({"agent": login}, {"fallback": [{"agent": login}]}):
        held = file(log, **member)
        (log.folder / "cardtrail.toml").write_text('[workflows.trip-planner]\nlockfiles = ["lock.json"]\n')
        for words in (("track", "--lock", held), ("check", held, held), ("doctor",)):
            done = cardtrail(*words, cwd=log.folder, NATS_URL=log.url, CARDTRAIL_DATA=str(log.folder))
            assert done.code != 0
            assert "user name or password" in done.out + done.err, (words, done)
            assert "hunter2" not in done.out + done.err
    assert log.declared() == Declared(None, {}, {}, {})


def test_a_lock_that_is_too_large_to_pin_is_refused_with_its_file_and_the_bound(log: Log) -> None:
    stand_ins = [{"agent": f"https://stand-in-{number}.partner.example/agent-card.json"} for number in range(5_000)]
    held = file(log, fallback=stand_ins)
    error = log.say("track", "--lock", held, code=2).json["error"]
    assert (error["code"], error["file"]) == ("lock-too-large", str(held))
    assert "258048" in error["message"]
    settings = read_settings('[workflows.w]\nlockfiles = ["lock.json"]\n', "cardtrail.toml", log.folder)
    with pytest.raises(UsageError, match="258048"):
        read_locks(settings)


def test_an_empty_name_is_refused_and_not_passed_over(log: Log) -> None:
    for option in ("--name", "--principal"):
        done = log.say("track", "https://pricing.partner.example", option, "", code=2)
        assert done.json["error"]["code"] == "option-value"
