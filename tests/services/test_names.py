"""Names in the settings: what nobody can read, ask for or tell from another is refused with file, line, key and reason."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.config_file import ConfigInvalid, read_settings
from cardtrail.services.names import LONGEST, alike, skeleton, wrong

AGENT = 'domain = "a.example"\n'
TABLES = {
    "agents": AGENT,
    "workflows": "lockfiles = []\n",
    "credentials": 'kind = "bearer"\nhosts = ["a.example"]\nenv = "A"\n',
    "channels": 'url = "https://a.example"\n',
    "registries": 'source = "ai-catalog:https://registry.example"\n',
}
WRONG = {
    '""': "that is empty",
    '"   "': "that is empty",
    '" pricing"': "white space around it",
    '"pri\\u0000cing"': "cannot be seen (\\u0000)",
    '"pri\\u001b[2Jcing"': "cannot be seen (\\u001b)",
    '"pri\\ncing"': "cannot be seen (\\u000a)",
    '"pri\\u200bcing"': "cannot be seen (\\u200b)",
    '"pri\\u202ecing"': "cannot be seen (\\u202e)",
    '"pri\\U000E0041cing"': "cannot be seen",
    f'"{"x" * (LONGEST + 1)}"': f"of {LONGEST + 1} characters",
    '"pr\\u0456cing"': "letters of Cyrillic and Latin",
    '"\\u03b1gent"': "letters of Greek and Latin",
    '"https://u:p@a.example/"': "carries a user name or password",
}


def refused(text: str) -> list[tuple[str, int, str, str]]:
    with pytest.raises(ConfigInvalid) as found:
        read_settings(text, "cardtrail.toml", Path("/etc/cardtrail"))
    return [(problem.file, problem.line, problem.path, problem.message) for problem in found.value.problems]


@pytest.mark.parametrize("name", WRONG, ids=[reason[:20] for reason in WRONG.values()])
@pytest.mark.parametrize("table", TABLES)
def test_a_name_that_nobody_can_ask_for_is_refused_at_its_line(table: str, name: str) -> None:
    problems = refused(f"# first\n\n[{table}.{name}]\n{TABLES[table]}")
    file, line, path, message = problems[-1]
    assert (file, line) == ("cardtrail.toml", 3)
    assert path.startswith(f"{table}.")
    assert WRONG[name] in message


@pytest.mark.parametrize(
    "other", ["Pricing-1", "pricing-l", "\uff50ricing-1", "\u0440\u0433\u0456\u0441\u0456\u043f\u0261-1"]
)
def test_two_names_that_are_read_alike_are_refused(other: str) -> None:
    assert skeleton(other) == skeleton("pricing-1")
    _, line, _, message = refused(f'[agents.pricing-1]\n{AGENT}[agents."{other}"]\n{AGENT}')[-1]
    assert line == 3
    assert "pricing-1" in message


@pytest.mark.parametrize("where", ["principals", "principal"])
def test_principals_are_names_too(where: str) -> None:
    text = {
        "principals": f'[agents.a]\n{AGENT}principals = ["public", ""]',
        "principal": '[workflows.w]\nlockfiles = []\nprincipal = "pl\\u200banner"',
    }[where]
    assert refused(text)[-1][1] == 3


@pytest.mark.parametrize(
    "name",
    [
        "pricing",
        "fares.other",
        "https://a.example/x?y=1",
        "Reiseplaner Süd",
        "価格",
        "расчёт",
        "a b",
        "x" * LONGEST,
        "é",
    ],
)
def test_names_of_every_language_are_names(name: str) -> None:
    assert wrong(name) == ""
    assert name in read_settings(f'[agents."{name}"]\n{AGENT}', "f", Path("/")).agents


def test_words_that_differ_by_more_than_their_look_are_two_names() -> None:
    assert list(alike(["modem", "modern", "müller", "muller", "agent-2", "agent-3", "a.b", "a-b"])) == []


@given(st.text())
def test_any_text_is_a_name_or_has_a_reason(name: str) -> None:
    assert wrong(name) == "" or wrong(name)[0].islower()
    assert list(alike([name, name])) == []


@pytest.mark.parametrize("key", ['"a]b"', "'x.y'", '"a\\"b"', '"\\u00e9"', "plain", '"with space"'])
def test_the_line_of_a_quoted_key_is_found(key: str) -> None:
    assert refused(f"\n\n[agents.{key}] # here\nunknown = 1\n")[0][1] == 4
