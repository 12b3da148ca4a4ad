import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.services.card.endpoint import as_http, is_plainly_public, normal_url
from cardtrail.services.outbound.address import judge_url


@pytest.mark.parametrize(
    ("served", "normal"),
    [
        ("https://h.example", "https://h.example/"),
        ("HTTPS://H.Example:443/Path", "https://h.example/Path"),
        ("http://h.example:80/", "http://h.example/"),
        ("http://h.example:443/", "http://h.example:443/"),
        ("https://h.example:/x", "https://h.example/x"),
        ("https://h.example/%7euser/%2F%3f", "https://h.example/~user/%2F%3F"),
        ("https://h.example/a/../b/./c/..", "https://h.example/b/"),
        ("https://h.example/../../x", "https://h.example/x"),
        ("http://localhost:8080", "http://localhost:8080/"),
        ("https://h.example:443", "https://h.example/"),
        ("https://h.example:4430/a.b/.c/", "https://h.example:4430/a.b/.c/"),
        ("https://h.example/a/.", "https://h.example/a/"),
        ("https://h.example/a/..", "https://h.example/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/"),
        ("https://h.example?Q=%7e", "https://h.example/?Q=~"),
        ("https://u@h.example/", "https://u@h.example/"),
        ("https://h.example/%%37e", "https://h.example/~"),
        ("https://h.example/" + "%41" * 2000, "https://h.example/" + "%41" * 2000),
        ("", ""),
        ("/a2a", "/a2a"),
        ("localhost:8080", "localhost:8080"),
        ("h.example:443", "h.example:443"),
    ],
)
def test_urls_that_are_the_same_have_one_spelling(served: str, normal: str) -> None:
    assert normal_url(served) == normal


urls = (
    st.from_regex(r"(?:https?|HTTPS|grpc)://[A-Za-z0-9.%:@\[\]é-]{0,12}[/?#%a-fA-F0-9.~é ]{0,16}", fullmatch=True)
    | st.text()
)


@given(urls)
@settings(max_examples=400)
def test_normalising_twice_is_normalising_once(url: str) -> None:
    assert normal_url(normal_url(url)) == normal_url(url)


def test_escapes_within_escapes_unfold_in_bounds() -> None:
    nested = "https://h.example/" + "%" * 1300 + "37" * 1300 + "e"
    assert "%37" not in normal_url(nested)


@given(urls)
@settings(max_examples=400)
def test_what_is_plainly_public_is_what_the_door_would_call(url: str) -> None:
    if is_plainly_public(url):
        assert judge_url(url).reason == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://localhost/",
        "https://a.localhost/",
        "https://agent.internal/",
        "https://host.home.arpa/",
        "https://metadata.goog/",
        "https://10.0.0.1/",
        "https://0x7f.1/",
        "https://a.example:99999/",
        "https://u@a.example/",
        "https://a.example/#x",
        "https://-a.example/",
        "https://a-.example/",
        "https://xn--a.example/",
        "http://a.example/",
        f"https://{'a' * 70}.example/",
        "https://a.example/" + "x" * 5000,
    ],
)
def test_whatever_might_be_refused_is_left_to_the_door(url: str) -> None:
    assert not is_plainly_public(url)
    assert judge_url(url).reason != "" or url.startswith("https://u@")


def test_a_plain_https_name_needs_no_judging() -> None:
    assert is_plainly_public("https://api.rates.example:8443/a2a/v1?x=1&y=%20")


@pytest.mark.parametrize(
    ("url", "binding", "judged"),
    [
        ("wss://a.example/x", "", "https://a.example/x"),
        ("wss://a.example/x", "https://bindings.example/websocket", "https://a.example/x"),
        ("wss://a.example/x", "JSONRPC", "wss://a.example/x"),
        ("grpc://a.example:1", "HTTP+JSON", "grpc://a.example:1"),
        ("grpcs://a.example:1", "GRPC", "https://a.example:1"),
        ("a.example:50051", "GRPC", "https://a.example:50051"),
        ("a.example:50051", "JSONRPC", "a.example:50051"),
        ("dns:///a.example:1", "GRPC", "https://a.example:1"),
        ("ws://a.example", "GRPC", "ws://a.example"),
        ("https://a.example", "JSONRPC", "https://a.example"),
    ],
)
def test_a_url_is_judged_as_its_binding_can_be_called(url: str, binding: str, judged: str) -> None:
    assert as_http(url, binding) == judged
