"""Mutants of cards and of HTTP answers: something wrong in a member, in the bytes, in a header, or all over."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from cardtrail.services.card.sign import sign
from tests.services.card.signers import PRIVATE, a_card

LEGACY = {
    "name": "Rates",
    "description": "d",
    "version": "1",
    "protocolVersion": "0.3.0",
    "url": "https://rates.example/a2a",
    "preferredTransport": "JSONRPC",
    "capabilities": {"streaming": True},
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "q", "name": "Q", "description": "d", "tags": ["x"]}],
    "securitySchemes": {"o": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"}},
    "security": [{"o": ["a"]}],
}
CORPUS = (a_card(), sign(a_card(), PRIVATE["ec"]), sign(a_card(), PRIVATE["rsa"]), LEGACY, {**a_card(), **LEGACY})
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        10**400,
        1e308,
        -0.0,
        2**53 + 1,
        "",
        " ",
        "\x00",
        "\ud800",
        "\u202e",
        "a" * 5_000,
        [],
        {},
    ),
    *(
        [[]],
        [None],
        {"": None},
        {"a": {"a": {"a": {}}}},
        ["x"] * 500,
        "https://[::1",
        "http://127.1",
        "//",
        "javascript:0",
    ),
    *("1.0", "9" * 400, "JSONRPC", "text/plain", "*/*", "eyJhbGciOiJub25lIn0", {"list": ["a"]}, {"schemes": {}}),
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for name, one in inner for place in places(one, (*at, name)))]


def changed(card: Any, chance: Random) -> Any:
    """The card with one member dropped, doubled, renamed or replaced by something odd."""
    card = copy.deepcopy(card)
    place = chance.choice(places(card))
    if not place:
        return chance.choice(ODD)
    holder: Any = card
    for step in place[:-1]:
        holder = holder[step]
    way = chance.randrange(4)
    if way == 0:
        del holder[place[-1]]
    elif way == 1:
        holder[place[-1]] = copy.deepcopy(chance.choice(ODD))
    elif way == 2 and isinstance(holder, dict):
        holder[chance.choice((str(place[-1]).upper(), "x" + str(place[-1]), "__proto__", "é"))] = holder[place[-1]]
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(holder[place[-1]]))
    return card


def scrambled(data: bytes, chance: Random) -> bytes:
    """The bytes flipped, cut, doubled or nested."""
    at = chance.randrange(len(data) + 1)
    junk = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 6)))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at] + junk + data[at + len(junk) :],
        lambda: data[:at],
        lambda: data[:at] + junk + data[at:],
        lambda: data[:at] + data[at // 2 : at] + data[at:],
        lambda: b'{"a":' * chance.randrange(1, 400) + data,
        lambda: data.replace(b'"', b"'", chance.randrange(1, 4)),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode("latin-1").encode("utf-16"),
    )
    return chance.choice(ways)()


def mutated(chance: Random) -> bytes:
    """A card with one to four things wrong."""
    card: Any = chance.choice(CORPUS)
    for _ in range(chance.randrange(1, 5)):
        card = changed(card, chance)
    data = json.dumps(card, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return scrambled(data, chance) if chance.random() < 0.3 else data


HEAD = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: "1"\r\nCache-Control: max-age=60\r\n'
    b"Content-Length: %d\r\nConnection: close\r\n\r\n"
)  # fmt: skip
LINES = (
    b"Transfer-Encoding: chunked",
    b"Content-Encoding: gzip",
    b"Content-Encoding: br, gzip",
    b"Content-Length: -5",
    b"Content-Length: 99999999999999999999",
    b"Location: http://169.254.169.254/",
    b"Vary: *, \xff",
    b"Retry-After: Thu, 99 Foo 9999 99:99:99 GMT",
    b"Date: never",
    b"Expires: -1",
    b"Age: 99999999999999999999999",
    b'Cache-Control: max-age=1e9, =, "',
    b": no name",
    b"Set-Cookie: " + b"a" * 40_000,
    b"X: \x00\x01",
)  # fmt: skip
STATUSES = (
    b"200",
    b"204",
    b"206",
    b"301",
    b"304",
    b"401",
    b"404",
    b"429",
    b"500",
    b"599",
    b"099",
    b"2000",
    b"abc",
    b"",
)


def answered(chance: Random) -> bytes:
    """An HTTP answer with something wrong in its status, its headers, its body, or all over."""
    body = mutated(chance) if chance.random() < 0.5 else json.dumps(a_card()).encode()
    head = HEAD % (len(body) + chance.choice((0, 0, 0, 3, -3)))
    if chance.random() < 0.4:
        head = head.replace(b"200", chance.choice(STATUSES), 1)
    lines = head.split(b"\r\n")
    for _ in range(chance.randrange(3)):
        lines.insert(chance.randrange(1, len(lines) - 1), chance.choice(LINES))
    data = b"\r\n".join(lines) + body
    return scrambled(data, chance) if chance.random() < 0.4 else data
