"""The table of hosts and URLs: odd numeric forms, local names, IDN, ambiguous spellings, allowlists."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import host_matches, judge_host, judge_url

ALLOWED = {
    "https://agent.example/": "https://agent.example/",
    "https://agent.example": "https://agent.example/",
    "https://agent.example?x=1": "https://agent.example/?x=1",
    "HTTPS://Agent.Example:443/Card": "https://agent.example/Card",
    "https://agent.example:8443/a/b?c=d": "https://agent.example:8443/a/b?c=d",
    "https://agent.example./x": "https://agent.example/x",
    "https://my_agent.example/": "https://my_agent.example/",
    "https://bücher.example/": "https://xn--bcher-kva.example/",
    "https://Bücher.example/": "https://xn--bcher-kva.example/",
    "https://xn--bcher-kva.example/": "https://xn--bcher-kva.example/",
    "https://8.8.8.8/": "https://8.8.8.8/",
    "https://[2606:4700::1111]/": "https://[2606:4700::1111]/",
    "https://[2606:4700:0:0::1111]:8443/": "https://[2606:4700::1111]:8443/",
    "https://[::ffff:8.8.8.8]/": "https://8.8.8.8/",
    "https://trusted.example.evil/": "https://trusted.example.evil/",
    "https://agent.example/%2e%2e/x": "https://agent.example/%2e%2e/x",
    "https://agent.example/a@b": "https://agent.example/a@b",
    "https://127.0.0.1.example/": "https://127.0.0.1.example/",
}
REFUSED = {
    "loopback": "https://127.0.0.1/ https://[::1]:8080/ https://localhost/ https://localhost./ https://a.localhost/ https://LOCALHOST/",
    "unspecified": "https://0.0.0.0:8000/ https://[::]/",
    "private": "https://10.0.0.5/ https://192.168.1.1:8443/ https://[fc00::1]/ https://[::ffff:10.0.0.1]/",
    "metadata": """https://169.254.169.254/latest/meta-data https://metadata.google.internal/ https://[fd00:ec2::254]/
        https://metadata/ https://METADATA.GOOGLE.INTERNAL./""",
    "nat64": "https://[64:ff9b::7f00:1]/",
    "numeric-host": """https://2130706433/ https://0x7f.1/ https://0177.0.0.1/ https://127.1/ https://0x7f000001/ https://1.2.3/
        https://256.1.1.1/ https://1.2.3.4.5/ https://agent.0x/ https://example.123/ https://127.0.0.01/""",
    "non-ascii-digits": "https://１２７.0.0.1/ https://127.0.0.١/ https://①.example/",
    "idn-invalid": "https://ⓛocalhost/ https://127。0。0。1/ https://xn--a/ https://fullwidthｅ.example/ https://BÜCHER.example/",
    "host-invalid": "https://agent..example/ https://.example/ https://-agent.example/ https://a,b.example/ https://::1/",
    "address-invalid": "https://[127.0.0.1]/ https://[g::1]/ https://[v1.x]/",
    "zone-id": "https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/",
    "local-name": "https://agent/ https://printer.local/ https://db.corp.internal/ https://x.home.arpa/ https://svc.cluster.local/",
    "cleartext": "http://agent.example/ HTTP://agent.example:8080/",
    "scheme": "ftp://agent.example/ file:///etc/passwd gopher://agent.example/ wss://agent.example/",
    "no-scheme": "agent.example //agent.example/ https:/agent.example https:agent.example javascript:alert(1) grpc.example:443",
    "userinfo": "https://user@agent.example/ https://user:pw@agent.example/ https://a@b@c.example/ https://agent.example@evil.example/",
    "backslash": r"https://agent.example\@evil.example/ https:\\agent.example/ https://agent.example/a\b",
    "percent-encoded-host": "https://agent%2eexample/ https://%31%32%37.0.0.1/",
    "port": """https://agent.example:0/ https://agent.example:65536/ https://agent.example:/ https://agent.example:080/
        https://agent.example:٨٠/ https://agent.example:-1/ https://agent.example:80:90/""",
    "fragment": "https://agent.example/#x https://agent.example#",
    "authority": "https://[/ https://[::1/ https://[::1]x/",
    "no-host": "https:///path https://?x",
}
ODD = {
    "https://agent.example/a b",
    "https://agent.example/\x00",
    "https://agent.example/\r\nX: y",
    "https://agent\u00ad.example/",
}
ODD |= {
    " https://agent.example/",
    "https://agent.example/\u202e",
    "https://agent.example/\u00a0",
    "https://\ufeffagent.example/",
}


@pytest.mark.parametrize(("url", "canonical"), ALLOWED.items())
def test_an_ordinary_url_is_allowed_in_its_canonical_spelling(url: str, canonical: str) -> None:
    judged = judge_url(url)
    assert (judged.reason, judged.url) == ("", canonical)
    assert judge_url(judged.url).url == canonical


@pytest.mark.parametrize(("url", "reason"), [(url, reason) for reason, many in REFUSED.items() for url in many.split()])
def test_a_url_is_refused_by_name(url: str, reason: str) -> None:
    assert judge_url(url).reason == reason


@pytest.mark.parametrize("url", sorted(ODD))
def test_whitespace_and_invisible_characters_are_refused(url: str) -> None:
    assert judge_url(url).reason == "control-character"


def test_a_url_beyond_the_limit_is_refused() -> None:
    assert judge_url("https://agent.example/" + "a" * 5000).reason == "url-too-long"


@given(st.text())
def test_no_text_makes_the_judge_fail(text: str) -> None:
    for url in (
        text,
        f"https://{text}",
        f"https://{text}.example/",
        f"https://[{text}]/",
        f"https://a.example:{text}/",
    ):
        judged = judge_url(url)
        assert judged.reason or judge_url(judged.url) == judged
    assert isinstance(judge_host(text).reason, str)


INTERNAL = EndpointPolicy(cidrs=("10.0.0.0/8", "127.0.0.0/8"))
NAMED = EndpointPolicy(
    allowed_hosts=("agent.example", "*.partner.example", "db.corp.internal"), ports=(443,), cleartext=True
)


@pytest.mark.parametrize(
    ("url", "policy", "reason"),
    [
        ("https://localhost:8443/", INTERNAL, ""),
        ("https://agent.corp.internal/", INTERNAL, ""),
        ("https://10.1.2.3/", INTERNAL, ""),
        ("https://192.168.1.1/", INTERNAL, "private"),
        ("https://metadata.google.internal/", INTERNAL, "metadata"),
        ("https://metadata.google.internal/", EndpointPolicy(allowed_hosts=("*.internal",)), "metadata"),
        ("https://metadata.google.internal/", EndpointPolicy(allowed_hosts=("metadata.google.internal",)), ""),
        ("https://localhost/", EndpointPolicy(cidrs=("10.0.0.0/8",)), "loopback"),
        ("https://agent.example/", NAMED, ""),
        ("http://agent.example:443/", NAMED, ""),
        ("http://agent.example/", NAMED, "port-not-allowed"),
        ("https://a.partner.example/", NAMED, ""),
        ("https://partner.example/", NAMED, "host-not-allowed"),
        ("https://agent.example.evil/", NAMED, "host-not-allowed"),
        ("https://evil.example/?x=agent.example", NAMED, "host-not-allowed"),
        ("https://8.8.8.8/", NAMED, "host-not-allowed"),
        ("https://db.corp.internal/", NAMED, ""),
        ("https://evilpartner.example/", NAMED, "host-not-allowed"),
    ],
)
def test_an_allowlist_narrows_and_opens_by_name(url: str, policy: EndpointPolicy, reason: str) -> None:
    assert judge_url(url, policy).reason == reason


@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True))
def test_a_host_never_matches_by_substring(word: str) -> None:
    assert not host_matches(f"{word}trusted.example", ("trusted.example", "*.trusted.example"))
    assert not host_matches(f"trusted.example.{word}", ("trusted.example", "*.trusted.example"))
    assert host_matches(f"{word}.trusted.example", ("*.trusted.example",))


def test_a_url_that_is_too_long_is_refused_and_not_remembered() -> None:
    long = "https://a.example/" + "x" * 100_000
    before = sys.getrefcount(long)
    assert judge_url(long).reason == "url-too-long"
    assert sys.getrefcount(long) == before
