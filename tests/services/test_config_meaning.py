"""A setting that reads well and can mean nothing is refused with its line; one that means something is not."""

from pathlib import Path

import pytest

from cardtrail.services.config_file import ConfigInvalid, read_settings
from tests.services.cli.cards import card, lock, written
from tests.services.cli.program import cardtrail

AGENT = '[agents.a]\ndomain = "a.example"\n'
EMPTY = [
    ('[client]\ninterfaces = [["JSONRPC", "1.0.0"]]', 2, 'write "1.0"'),
    ('[client]\ninterfaces = [["JSONRPC", "0.3.0"]]', 2, 'write "0.3"'),
    ('[client]\nschemes = ["magic"]', 2, "one of apiKey"),
    ('[policy.severities]\nstream-withdrawn = "note"', 2, "did you mean streaming-withdrawn?"),
    ('[tls]\nproxy = "proxy.example:3128"', 2, "is no URL"),
    ('[hosts]\n"a.example" = "b.example"', 2, "is no IP address"),
    ('[hosts]\n"a.example" = "10.0.0"', 2, "is no IP address"),
    (f'{AGENT}networks = ["10.0.0.0/99"]', 3, "is no network"),
    (f'{AGENT}networks = ["everything"]', 3, "is no network"),
    (f"{AGENT}ports = [443, 99999]", 3, "99999 is no port"),
    (f"{AGENT}ports = [0]", 3, "0 is no port"),
    (f'{AGENT}allowed_hosts = ["*"]', 3, "is no host"),
    (f'{AGENT}allowed_hosts = ["https://a.example"]', 3, "is no host"),
    ('[channels.c]\nurl = "https://a.example"\nnetworks = ["x"]', 3, "is no network"),
    ("[discovery]\ncosts = { a = -1 }", 2, "0 or more"),
    (f"a = {'[' * 3_000}{']' * 3_000}", 0, "nested too deeply"),
    ('[broker]\ndata = "\\u0000"', 2, "a NUL character"),
    ('[tls]\nca_bundle = "a\\u0000"', 2, "a NUL character"),
    ('[keys]\n"https://a.example" = "\\u0000"', 2, "a NUL character"),
    ('[workflows.w]\nlockfiles = ["a.json", "\\u0000"]', 2, "a NUL character"),
    ('[seal]\nkey = "\\u0000"', 2, "a NUL character"),
    ('[registries.r]\nsource = "list\\u0000.json"', 2, "a NUL character"),
    ("[policy]\ngrace = true", 2, "no duration"),
    ('[policy]\ngrace = "١d"', 2, "no duration"),
]


@pytest.mark.parametrize(("text", "line", "said"), EMPTY)
def test_what_can_mean_nothing_is_refused_at_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(ConfigInvalid) as refused:
        read_settings(text, "cardtrail.toml", Path("/etc/cardtrail"))
    (problem,) = refused.value.problems
    assert (problem.file, problem.line) == ("cardtrail.toml", line)
    assert said in f"{problem.message} {problem.hint}"


@pytest.mark.parametrize(
    "text",
    [
        '[client]\ninterfaces = [["GRPC", "1.0"], ["https://corp.example/binding", "2.1"], ["jsonrpc", "v1"]]',
        '[client]\nschemes = ["oauth2/password"]',
        '[policy.severities]\nstreaming-withdrawn = "off"',
        '[tls]\nproxy = "http://proxy.example:3128"',
        '[hosts]\n"a.example" = "::1"\n"b.example" = "10.0.0.7"',
        f'{AGENT}networks = ["10.1.2.3/8", "::1", "fd00::/8", "10.0.0.7"]\nports = [1, 65535]',
        f'{AGENT}allowed_hosts = ["*.B.example", "münchen.example"]',
        "[discovery]\ncosts = { a = 0, b = 0.5 }",
    ],
)
def test_what_means_something_loads(text: str) -> None:
    read_settings(text, "cardtrail.toml", Path("/etc/cardtrail"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('interfaces = [["JSONRPC", " 1.0"]]', 'write "1.0"'),
        ('{"interfaces": [["JSONRPC", "0.3.1"]]}', 'write "0.3"'),
        ("[limits]\nper_host = 2", "a settings file without [client]"),
        ('[channels.ops]\nurl = "https://a.example"', "a settings file without [client]"),
        ("[client]\ninterface = []", "unknown setting"),
        (f"a = {'[' * 3_000}{']' * 3_000}", "nested too deeply"),
        ('{"a": ' + "[" * 3_000 + "]" * 3_000 + "}", "client"),
        ("#" * 600_000, "more than 524288 bytes"),
    ],
)
def test_a_file_of_client_capabilities_is_held_to_the_same(tmp_path: Path, text: str, said: str) -> None:
    held, file = written(tmp_path / "l.json", lock()), written(tmp_path / "c.json", card())
    (tmp_path / "client.toml").write_text(text)
    done = cardtrail("check", held, file, "--client", tmp_path / "client.toml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[config-invalid] ")
    assert said in done.err


@pytest.mark.parametrize("option", ["--client", "--config"])
def test_a_byte_order_mark_and_other_line_ends_are_no_fault(tmp_path: Path, option: str) -> None:
    held, file = written(tmp_path / "l.json", lock()), written(tmp_path / "c.json", card())
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbf[client]\r\nmissing_version_matches = true\r\n")
    assert cardtrail("check", held, file, option, tmp_path / "s.toml").code == 0
