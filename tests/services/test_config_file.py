"""Settings files: what is right loads, what is wrong is told with line, key, reason and what to write."""

from pathlib import Path

import pytest

from cardtrail.services.config_file import ConfigInvalid, line_of, read_settings
from cardtrail.services.settings import Settings

GOOD = """
[client]
interfaces = [["JSONRPC", "1.0"]]

[agents.pricing]
domain = "pricing.partner.example"
interval = "5m"

[agents."fares.other"]
card_url = "https://fares.other.example/.well-known/agent-card.json"
source = "internal"

[workflows.trip-planner]
lockfiles = ["locks/trip.lock.json"]
owner = "mira"
"""


def read(text: str) -> Settings:
    return read_settings(text, "cardtrail.toml", Path("/etc/ct"))


def test_a_whole_file_loads_and_paths_count_from_its_folder() -> None:
    settings = read(GOOD)
    assert settings.agents["pricing"].interval_s() == 300
    assert settings.agents["fares.other"].interval_s() == 3_600
    assert settings.agents["pricing"].target().kind == "domain"
    assert settings.workflows["trip-planner"].lockfiles == (Path("/etc/ct/locks/trip.lock.json"),)
    assert settings.broker.data == Path("/etc/ct/cardtrail-data")


def test_an_empty_file_is_a_tracker_that_watches_nothing() -> None:
    assert read("").agents == {}


@pytest.mark.parametrize(
    ("wrong", "path", "line", "words"),
    [
        ('[agents.pricing]\ndomain = "a.example"\ninterval = "5 minutes"', "agents.pricing.interval", 3, 'write "5m"'),
        ('[agents.pricing]\ndomain = "a.example"\ninterval = -1', "agents.pricing.interval", 3, "greater than"),
        ('[agents.pricing]\ndomian = "a.example"', "agents.pricing.domian", 2, "did you mean domain?"),
        ("[agents.pricing]\nlegacy_path = true", "agents.pricing", 1, "exactly one of"),
        ('[agents.p]\ndomain = "a"\ncard_url = "b"', "agents.p", 1, "domain and card-url"),
        ("[limts]\ncard_bytes = 5", "limts", 1, "did you mean limits?"),
        (
            '[agents.p]\ndomain = "a"\n[agents.p.contract]\nmessage = {parts = [{text = "x"}]}\nbudgett = 3',
            "agents.p.contract.budgett",
            5,
            "did you mean budget?",
        ),
        ("[discovery.spikes]\nzzz = 1", "discovery.spikes.zzz", 2, "known here: window, baseline"),
        ("[limits]\ncard_bytes = 5", "limits.card_bytes", 2, "1024"),
        ('[workflows.w]\nlockfiles = []\nchannel = "ops"', "workflows.w.channel", 3, "declared nowhere"),
        ('[agents.p]\ndomain = "a"\ncredentials = {acme = "key"}', "agents.p.credentials.acme", 3, "declared nowhere"),
        ('[policy.severities]\nskill-removed = "fatal"', "policy.severities.skill-removed", 2, "fatal"),
        ("[broker\nurl = 3", "", 1, "no TOML"),
        ('[agents.p]\nbase_url = "https://u:secret@x.example"', "agents.p", 1, "user name or password"),
        ('[agents.p]\nbase_url = "http://[::1"', "agents.p", 1, "no URL"),
        (f"[agents.p]\ndocument = '{'x' * 123_000}'", "agents.p", 1, "larger than 120 KiB"),
        ("[limits]\ncard_bytes = 524289", "limits.card_bytes", 2, "524288"),
    ],
)
def test_a_wrong_setting_is_refused_with_line_key_and_reason(wrong: str, path: str, line: int, words: str) -> None:
    with pytest.raises(ConfigInvalid) as refused:
        read(wrong)
    problem = refused.value.problems[0]
    assert (problem.exit_code, problem.file, problem.line) == (2, "cardtrail.toml", line)
    assert problem.path.startswith(path)
    assert words in f"{problem.message} {problem.hint}"


def test_every_wrong_setting_is_told_at_once() -> None:
    with pytest.raises(ConfigInvalid) as refused:
        read('[agents.a]\ndomain = "x"\ninterval = "soon"\n[limits]\nper_host = 0\n')
    assert [problem.path for problem in refused.value.problems] == ["limits.per_host", "agents.a.interval"]


def test_a_key_under_a_dotted_or_quoted_table_is_found() -> None:
    text = '[agents]\n[agents."a.b"]\nx = 1\nagents.c.y = 2\n'
    assert line_of(text, ("agents", "a.b", "x")) == 3
    assert line_of("agents.c.y = 2\n", ("agents", "c", "y")) == 1
    assert line_of("", ("agents",)) == 0
