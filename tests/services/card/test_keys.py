"""Key sets: strict reading, what forbids a key, and the store's looks at a URL, counted."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jwcrypto.jwk import JWK

from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.services.card.key_store import Anchor, KeyStore, origin_of
from cardtrail.services.card.keys import KeySet, parse_keys
from tests.services.card.signers import NOW, ORIGIN, PRIVATE, key_set, public

URL = "https://rates.example/jwks.json"
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("A_d9é", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
MEMBERS = st.sampled_from(
    ["kty", "crv", "x", "y", "n", "e", "d", "use", "key_ops", "kid", "alg", "exp", "nbf", "revoked"]
)


def refusal(data: bytes) -> UsageError:
    with pytest.raises(UsageError) as refused:
        parse_keys(data, file="partner.jwks")
    return refused.value


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (JWK(**PRIVATE["ec"]).export_to_pem(), "PEM"),
        (json.dumps({"2026-a": JWK(**PRIVATE["ec"]).export_to_pem().decode()}).encode(), "a map of kid to PEM"),
        (json.dumps(public("ec")).encode(), "one JWK"),
        (b"<html><body>login</body></html>", "HTML"),
        (b"[]", "no JWK set"),
        (b'{"keys": {}}', "no JWK set"),
        (b'{"keys": [1]}', "no JWK set"),
        (b'{"keys": [{"kid": "a", "kid": "b"}]}', ""),
        (b'{"keys": [' + b",".join([b"{}"] * 257) + b"]}", "more than 256"),
        (b"", ""),
        (b"\xff", ""),
    ],
)
def test_what_is_no_key_set_is_refused_with_its_place_and_a_hint(data: bytes, says: str) -> None:
    error = refusal(data)
    assert (error.code, error.exit_code, error.file) == ("keys-not-jwks", 2, "partner.jwks")
    assert error.line >= 1
    assert error.hint
    assert says in error.message


def weak_rsa(size: int) -> dict[str, Any]:
    return public("rsa", n=public("rsa")["n"][: size // 6])


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        (public("rsa"), ""),
        (public("p521"), ""),
        (weak_rsa(1024), "key-too-weak"),
        (public("rsa", e="AQ"), "key-too-weak"),
        (public("rsa", n=public("rsa")["n"] * 9), "key-too-large"),
        (public("ec", x="AAAA"), "key-malformed"),
        (public("ec", x="%%%"), "key-malformed"),
        (public("ec", x="A" * 43, y="A" * 43), "key-malformed"),
        (public("ec", y=public("ec")["x"]), "key-malformed"),
        (public("ec", exp="soon"), "key-malformed"),
        (public("ec", exp=1e300), "key-malformed"),
        (public("ec", use="enc"), "key-not-for-signing"),
        (public("ec", key_ops=["encrypt"]), "key-not-for-signing"),
        (public("ec", crv="secp256k1"), "key-not-for-signing"),
        ({"kty": "oct", "k": "AAAA", "kid": "shared"}, "key-not-for-signing"),
    ],
)
def test_an_unfit_key_stays_in_the_set_with_what_is_wrong(key: dict[str, Any], problem: str) -> None:
    (read,) = key_set(key).keys
    assert read.problem == problem
    assert read.trouble(NOW) == problem


def test_expiry_beginning_and_revocation_are_judged_at_the_given_time() -> None:
    at = int(NOW.timestamp())
    (key,) = key_set(public("ec", nbf=at - 10, exp=at + 10)).keys
    assert key.trouble(NOW) == ""
    assert key.trouble(NOW + timedelta(seconds=10)) == "key-expired"
    assert key.trouble(NOW - timedelta(seconds=11)) == "key-not-yet-valid"
    (revoked,) = key_set(public("ec", revoked={"revoked_at": at, "reason": "compromised"})).keys
    assert revoked.trouble(NOW) == "key-revoked"
    assert revoked.trouble(NOW - timedelta(seconds=1)) == ""
    for name in ("ec", key.thumbprint):
        assert key_set(public("ec")).revoking([name], NOW).keys[0].trouble(NOW) == "key-revoked"


def test_private_members_are_dropped_and_reported() -> None:
    keys = key_set(PRIVATE["ec"])
    assert "d" not in keys.keys[0].jwk
    assert "private" in keys.problems[0]
    assert key_set(public("ec")).problems == ()


def test_the_thumbprint_is_that_of_rfc_7638() -> None:
    (key,) = key_set(public("rsa")).keys
    assert key.thumbprint == JWK(**PRIVATE["rsa"]).thumbprint()


def test_a_key_answers_to_its_name_or_thumbprint_and_one_without_a_name_to_any() -> None:
    nameless = public("ec2")
    del nameless["kid"]
    keys = key_set(public("ec"), nameless)
    assert [key.kid for key in keys.find("ec")] == ["ec"]
    assert keys.find(keys.keys[0].thumbprint) == keys.keys[:1]
    assert [key.kid for key in keys.find("other")] == [""]
    assert key_set(public("ec")).find("other") == ()


@given(members=st.lists(st.dictionaries(MEMBERS, JSON_VALUES, max_size=6), max_size=3))
def test_no_key_of_any_shape_makes_the_reader_fail(members: list[dict[str, Any]]) -> None:
    data = json.dumps({"keys": members}).encode()
    try:
        keys = parse_keys(data)
    except UsageError:
        return
    assert len(keys.keys) == len(members)
    assert all(
        not key.trouble(NOW) or key.problem or key.expires or key.not_before or key.revoked_at for key in keys.keys
    )


class Provider:
    """A key server: what it answers can be changed, and it counts who came."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.keys, self.looks, self.is_up = keys, 0, True

    async def fetch(self, url: str) -> bytes:
        assert url == URL
        self.looks += 1
        await asyncio.sleep(0)
        if not self.is_up:
            raise Unreachable("connect-failed", "nobody answers")
        return json.dumps({"keys": self.keys}).encode()


def a_store(*keys: dict[str, Any], revoked: tuple[str, ...] = ()) -> KeyStore:
    anchor = Anchor(origin=ORIGIN, keys=key_set(*keys), urls=(URL,), revoked=revoked)
    return KeyStore([anchor], lifetime_s=3600, stale_s=7200, cooldown_s=300)


def look(store: KeyStore, kid: str, provider: Provider, after_s: int = 0) -> KeySet:
    return asyncio.run(store.resolve(ORIGIN, [kid], NOW + timedelta(seconds=after_s), provider.fetch))


def test_fetched_keys_that_end_soon_are_named_and_ended_ones_where_none_is_left() -> None:
    soon, late, past = (int((NOW + timedelta(days=days)).timestamp()) for days in (5, 40, -5))

    def named(*keys: dict[str, Any], held: tuple[dict[str, Any], ...] = (), revoked: tuple[str, ...] = ()) -> list[str]:
        store = a_store(*held, revoked=revoked)
        look(store, "x", Provider(*keys))
        return [key.kid for _, ending in store.ending(NOW, timedelta(days=21)) for key in ending]

    assert list(a_store().ending(NOW, timedelta(days=21))) == [], "nothing was fetched yet"
    assert named(public("ec", exp=late), public("ed")) == []
    assert named(public("ec", exp=soon), public("ed")) == ["ec"]
    assert named(public("ec", exp=soon), public("ed", exp=soon - 1)) == ["ed", "ec"]
    assert named(public("ec", exp=soon), public("ec", exp=soon, kid="again")) == ["again", "ec"]
    assert named(public("ec", exp=past), public("ed")) == [], "a successor is there"
    assert named(public("ec", exp=past), held=(public("ed"),)) == []
    assert named(public("ec", exp=past)) == ["ec"]
    assert named(public("ec", exp=soon), revoked=("ec",)) == []
    assert named(public("ec", exp=past), held=(public("ed"),), revoked=("ed",)) == ["ec"]
    assert named(held=(public("ec", exp=soon),)) == [], "a file is watched as a file"


def test_an_unknown_kid_causes_one_look_and_then_a_cool_down() -> None:
    store, provider = a_store(), Provider(public("ec"))
    assert look(store, "ec", provider).find("ec")
    for number in range(1000):
        look(store, f"random-{number}", provider, after_s=299)
    assert provider.looks == 1
    look(store, "random", provider, after_s=300)
    assert provider.looks == 2


def test_a_clock_that_is_set_back_puts_off_no_look() -> None:
    store, provider = a_store(), Provider(public("ec"))
    look(store, "ec", provider, after_s=86_400)
    provider.keys = (public("ec2"),)
    assert look(store, "ec2", provider).find("ec2")


def test_a_rotation_is_found_at_the_first_unknown_kid_after_the_cool_down() -> None:
    store, provider = a_store(), Provider(public("ec"))
    look(store, "ec", provider)
    provider.keys = (public("ec2"),)
    assert look(store, "ec2", provider, after_s=301).find("ec2")
    assert not store.keys_for(ORIGIN, NOW + timedelta(seconds=301)).find("ec")


def test_a_thousand_cards_at_once_share_one_look() -> None:
    store, provider = a_store(), Provider(public("ec"))

    async def all_at_once() -> list[KeySet]:
        return await asyncio.gather(*(store.resolve(ORIGIN, [f"kid-{n}"], NOW, provider.fetch) for n in range(1000)))

    sets = asyncio.run(all_at_once())
    assert provider.looks == 1
    assert all(keys.find("ec") for keys in sets)


def test_a_source_that_fails_serves_its_last_set_until_it_is_stale_and_says_so() -> None:
    store, provider = a_store(), Provider(public("ec"))
    look(store, "ec", provider)
    provider.is_up = False
    late = look(store, "ec", provider, after_s=3600)
    assert late.find("ec")
    assert late.problems == (f"{URL}: nobody answers",)
    assert not look(store, "ec", provider, after_s=3600 + 7201).find("ec")


def test_an_answer_that_is_no_key_set_leaves_the_good_one() -> None:
    store = a_store()
    store.received(URL, json.dumps({"keys": [public("ec")]}).encode(), NOW)
    store.received(URL, b"<html>", NOW + timedelta(seconds=1))
    keys = store.keys_for(ORIGIN, NOW)
    assert keys.find("ec")
    assert "HTML" in keys.problems[0]


def test_files_and_urls_are_joined_and_the_operators_revocation_wins_over_both() -> None:
    store, provider = a_store(public("rsa"), revoked=("ec",)), Provider(public("ec"), public("rsa"))
    keys = look(store, "ec", provider)
    assert [key.kid for key in keys.keys] == ["rsa", "ec"]
    assert keys.find("ec")[0].trouble(NOW) == "key-revoked"
    assert keys.sources == (URL,)


def test_an_origin_without_anchor_has_no_keys_and_causes_no_look() -> None:
    store, provider = a_store(), Provider(public("ec"))
    other = asyncio.run(store.resolve("https://rates.example.evil", ["ec"], NOW, provider.fetch))
    assert other == KeySet()
    assert provider.looks == 0


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Rates.Example:443/.well-known/agent-card.json", "https://rates.example"),
        ("https://rates.example:8443/x", "https://rates.example:8443"),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://user@rates.example/", "https://rates.example"),
        ("https://rates.example:port/", ""),
        ("rates.example", ""),
        ("", ""),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin
