import socket
from pathlib import Path

import pytest

from cardtrail.services.verdict.site import same_site, site


@pytest.mark.parametrize(
    ("host", "owner"),
    [
        ("api.partner.example", "partner.example"),
        ("partner.example", "partner.example"),
        ("a.b.shop.co.uk", "shop.co.uk"),
        ("one.github.io", "one.github.io"),
        ("github.io", "github.io"),
        ("preview.app.vercel.app", "app.vercel.app"),
        ("localhost", "localhost"),
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_the_site_of_a_host_is_what_one_owner_can_register(host: str, owner: str) -> None:
    assert site(host) == owner


def test_neighbours_under_a_public_suffix_are_strangers() -> None:
    assert not same_site("one.github.io", "two.github.io")
    assert not same_site("10.0.0.1", "10.0.0.2")
    assert same_site("a.partner.example", "b.partner.example")


def test_looking_up_a_site_opens_no_socket_and_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a socket was opened"))
    assert site("fresh.never-asked-before.example") == "never-asked-before.example"
    assert list(tmp_path.rglob("*")) == []


def test_the_hosts_of_strangers_do_not_fill_the_memory() -> None:
    for number in range(10_000):
        site(f"h{number}.example")
    assert site.cache_info().currsize < 10_000
