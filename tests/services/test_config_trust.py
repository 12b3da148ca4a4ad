"""Settings about discovery and trust: read as they are meant, refused with file, line, key and reason."""

from pathlib import Path

import pytest

from cardtrail.services.config_file import ConfigInvalid, read_settings
from cardtrail.services.discovery_settings import KeySettings

FILE, BASE = "cardtrail.toml", Path("/etc/cardtrail")


def test_keys_of_an_origin_are_a_file_or_urls_with_what_is_revoked() -> None:
    text = """
[keys]
"https://a.example" = "a.jwks"
[keys."https://b.example:8443"]
file = "b.jwks"
urls = ["https://b.example:8443/jwks.json"]
revoked = ["old"]
networks = ["10.0.0.0/8"]
"""
    keys = read_settings(text, FILE, BASE).keys
    assert keys["https://a.example"] == KeySettings(file=BASE / "a.jwks")
    assert keys["https://b.example:8443"] == KeySettings(
        file=BASE / "b.jwks",
        urls=("https://b.example:8443/jwks.json",),
        revoked=("old",),
        networks=("10.0.0.0/8",),
    )


def test_a_plain_lists_path_counts_from_the_settings_and_a_url_stays() -> None:
    text = '[registries.own]\nsource = "agents.json"\n[registries.all]\nsource = "ai-catalog:https://r.example"\n'
    registries = read_settings(text, FILE, BASE).registries
    assert registries["own"].source == f"plain-list:{BASE / 'agents.json'}"
    assert registries["all"].source == "ai-catalog:https://r.example"


@pytest.mark.parametrize(
    ("text", "line", "path", "reason"),
    [
        ('[keys."a.example"]\nfile = "a"', 1, "keys.a.example", "no origin"),
        ('[keys."https://a.example/x"]\nfile = "a"', 1, "keys.https://a.example/x", "more than an origin"),
        ('[keys."https://A.example:443"]\nfile = "a"', 1, "keys.https://A.example:443", "more than an origin"),
        ('[keys."https://a.example"]\nrevoked = ["x"]', 1, "keys.https://a.example", "no keys"),
        ('[keys."https://a.example"]\nurls = ["http://a.example/k"]', 2, "keys.https://a.example.urls", "cleartext"),
        ('[keys."https://a.example"]\nurls = ["a/k"]', 2, "keys.https://a.example.urls", "no-scheme"),
        ('[keys."https://a.example"]\nurl = "x"\nfile = "a"', 2, "keys.https://a.example.url", "unknown setting"),
        ('[registries.r]\nsource = "ftp:x"', 2, "registries.r.source", "no kind of registry"),
        ('[registries.r]\nsource = "x.json"\ncredential = "k"', 3, "registries.r.credential", "declared nowhere"),
        (
            '[registries.r]\nsource = "x.json"\ncredentials = { mira = "k" }',
            3,
            "registries.r.credentials.mira",
            "declared nowhere",
        ),
        ('[registries."a/b"]\nsource = "x.json"', 1, "registries.a/b", "cannot begin the names"),
        ('[registries.r]\nsource = "x.json"\nevery = "6 hours"', 3, "registries.r.every", "no duration"),
        ("[registries.r]\ntags = []", 1, "registries.r.source", "field required"),
        ('[discovery.spikes]\nwindow = "1m"', 2, "discovery.spikes.window", "greater than or equal to 900"),
        ('[discovery]\nallowed = ["x"]', 2, "discovery.allowed", "unknown setting"),
        ('[agents.a]\nregistry = "x"', 2, "agents.a.registry", "unknown setting"),
    ],
)
def test_a_setting_that_means_nothing_is_refused_with_its_place(text: str, line: int, path: str, reason: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        read_settings(text, FILE, BASE)
    found = {problem.path: problem for problem in caught.value.problems}
    assert path in found, found
    assert reason in found[path].message.lower()
    assert (found[path].file, found[path].line) == (FILE, line)
    assert found[path].hint or "unknown" not in reason
