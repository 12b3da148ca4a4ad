import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.web.guard import POLICY, admitted, held, host_allowed, local_path, same_origin, secret, session

LONG = "t" * 24


def test_loopback_needs_no_token_and_anything_else_does() -> None:
    for host in ("127.0.0.1", "localhost", "::1", "127.1.2.3"):
        assert secret(host, "", {}) == ""
    for host in ("0.0.0.0", "::", "192.168.1.5", "tracker.example", "", "127.0.0.1.example"):  # noqa: S104 — refused
        with pytest.raises(UsageError) as refused:
            secret(host, "", {})
        assert refused.value.code == "web-exposed"


@pytest.mark.parametrize("held", [{}, {"TOKEN": ""}, {"TOKEN": "short"}])
def test_a_named_variable_must_hold_a_token_that_cannot_be_guessed(held: dict[str, str]) -> None:
    with pytest.raises(UsageError) as refused:
        secret("0.0.0.0", "TOKEN", held)  # noqa: S104 — refused
    assert refused.value.code == "web-token"
    assert secret("0.0.0.0", "TOKEN", {"TOKEN": LONG}) == LONG  # noqa: S104 — with a token


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("127.0.0.1:8484", True),
        ("localhost", True),
        ("page.localhost:1", True),
        ("[::1]:8484", True),
        ("10.1.2.3:8484", True),
        ("tracker.example", True),
        ("TRACKER.example:443", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example@127.0.0.1", False),
        ("127.0.0.1:99999", False),
        ("127.0.0.1/evil.example", False),
        ("", False),
        ("[::1", False),
        ("2130706433", False),
    ],
)
def test_only_names_that_no_foreign_record_can_point_at_us_are_answered(header: str, allowed: bool) -> None:
    assert host_allowed(header, frozenset({"tracker.example"})) is allowed


def test_a_write_from_another_site_is_refused() -> None:
    own = {"host": "127.0.0.1:8484"}
    assert same_origin(own | {"sec-fetch-site": "same-origin"})
    assert same_origin(own | {"origin": "http://127.0.0.1:8484"})
    assert same_origin(own), "a program that is no browser still needs the form's token"
    for foreign in ("cross-site", "same-site", "none"):
        assert not same_origin(own | {"sec-fetch-site": foreign})
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", ""):
        assert not same_origin(own | {"origin": origin})


def test_the_token_or_its_cookie_admits_and_nothing_else() -> None:
    assert admitted("", "", "")
    assert admitted(LONG, f"Bearer {LONG}", "")
    assert admitted(LONG, "", session(LONG))
    assert session(LONG) != LONG
    for authorization, cookie in (
        ("", ""),
        (f"Basic {LONG}", ""),
        ("Bearer ü", "ü"),
        ("", LONG),
        (f"Bearer {LONG}x", ""),
    ):
        assert not admitted(LONG, authorization, cookie)


@pytest.mark.parametrize(
    "back", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb", "/a\\..\\b", "javascript:x"]
)
def test_nobody_is_led_elsewhere_after_login(back: str) -> None:
    assert local_path(back) == "/"
    assert local_path("/agents/pricing?at=2026-11-29") == "/agents/pricing?at=2026-11-29"


def test_the_policy_is_the_one_that_was_agreed() -> None:
    assert POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


@pytest.mark.parametrize(
    "others", ["", "a/b=c", "a,b=c; x", "=", "expires=never", 'q="\\777', "cardtrail_2=other", "é=\x80"]
)
def test_cookies_of_other_programs_on_this_host_hide_ours_from_nobody(others: str) -> None:
    assert held(others) == ""
    assert held(f"{others}; cardtrail={session(LONG)}") == session(LONG)


@pytest.mark.parametrize("origin", ["null", "http://[", "http://[::1", "//", "", "http://evil.example"])
def test_an_origin_that_is_none_of_ours_is_refused_however_it_is_written(origin: str) -> None:
    assert not same_origin({"origin": origin, "host": "localhost:8484"})
