"""Reading one signature of a card: a flattened JWS with a detached payload (RFC 7515 §7.2.2, A2A §8.4). No cryptography here."""

from typing import Any, NamedTuple

from cardtrail.events.canonical import digest
from cardtrail.events.errors import DocumentRefused, InputRefused
from cardtrail.services.card.algorithms import ALGORITHMS
from cardtrail.services.card.base64url import decode_base64
from cardtrail.services.card.parse import parse

MAX_HEADER_CHARS = 8192
MAX_SIGNATURE_CHARS = 4096
_DER_SEQUENCE = 0x30


class Jws(NamedTuple):
    """A signature as read; `protected` is the text as received, which the signing input takes verbatim.

    `identity` is a digest over the decoded bytes: another spelling of the same signature has the same identity.
    """

    protected: str
    header: dict[str, Any]
    unprotected: dict[str, Any]
    signature: bytes
    identity: str
    notes: tuple[str, ...]

    def text(self, name: str) -> str:
        """A protected header parameter, "" where it is absent, null or no string."""
        value = self.header.get(name)
        return value if isinstance(value, str) else ""


def read_jws(data: object) -> Jws:
    """One element of `signatures`.

    Raises:
        InputRefused: `malformed-signature`, `malformed-base64`, `bad-header`.
    """
    if not isinstance(data, dict):
        raise InputRefused("malformed-signature", "a signature must be an object")
    protected = _text(data.get("protected"), "protected", MAX_HEADER_CHARS)
    signature = _text(data.get("signature"), "signature", MAX_SIGNATURE_CHARS)
    unprotected = data.get("header")
    if not isinstance(unprotected, dict | None):
        raise InputRefused("bad-header", "the unprotected header must be an object")
    header_bytes, signature_bytes = decode_base64(protected), decode_base64(signature)
    header = _header(header_bytes)
    identity = digest([header_bytes.hex(), signature_bytes.hex()])
    notes = _notes(header, protected + signature)
    return Jws(protected, header, unprotected or {}, signature_bytes, identity, notes)


def kids_of(card: dict[str, Any], limit: int = 16) -> tuple[str, ...]:
    """The key names that a card's signatures state, for whoever looks keys up; at most `limit` signatures are read."""
    entries = card.get("signatures")
    kids: dict[str, None] = {}
    for entry in entries[:limit] if isinstance(entries, list) else ():
        try:
            kids[read_jws(entry).text("kid")] = None
        except InputRefused:
            continue
    return tuple(kid for kid in kids if kid)


def check_jws(jws: Jws) -> None:
    """The rules that need no key, most telling first.

    Raises:
        InputRefused: `bad-header`, `alg-not-allowed`, `b64`, `crit-unknown`, `der-signature`, `malformed-signature`,
            `kid-missing`.
    """
    _check_header(jws)
    if jws.text("alg") not in ALGORITHMS:
        raise InputRefused("alg-not-allowed", f"algorithm {jws.text('alg')[:32]!r} is not accepted")
    if "b64" in jws.header or "b64" in jws.unprotected:
        raise InputRefused("b64", "the header parameter b64 is not supported")
    if "crit" in jws.header or "crit" in jws.unprotected:
        raise InputRefused("crit-unknown", "crit names parameters that are not understood")
    _check_length(jws)
    if not jws.text("kid"):
        raise InputRefused("kid-missing", "the protected header names no key")


def _check_header(jws: Jws) -> None:
    for name in ("alg", "kid", "jku", "typ"):
        if not isinstance(jws.header.get(name), str | None):
            raise InputRefused("bad-header", f"{name} must be a string")
    if not jws.text("alg"):
        raise InputRefused("bad-header", "the protected header names no algorithm")
    repeated = sorted(jws.header.keys() & jws.unprotected.keys())
    if repeated:
        raise InputRefused("bad-header", f"the unprotected header repeats {repeated[0][:32]!r}")


def _check_length(jws: Jws) -> None:
    length = ALGORITHMS[jws.text("alg")].signature_bytes
    if not jws.signature or (length and len(jws.signature) not in length):
        if length and jws.signature[:1] == bytes([_DER_SEQUENCE]) and jws.text("alg").startswith("ES"):
            raise InputRefused("der-signature", "the signature is DER, not R and S side by side")
        raise InputRefused("malformed-signature", f"{len(jws.signature)} bytes are no {jws.text('alg')} signature")


def _text(value: object, name: str, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise InputRefused("malformed-signature", f"{name} must be a string of at most {limit} characters")
    return value


def _header(data: bytes) -> dict[str, Any]:
    try:
        value = parse(data).value
    except DocumentRefused as error:
        raise InputRefused("bad-header", f"the protected header is not acceptable JSON: {error.message}") from error
    if not isinstance(value, dict):
        raise InputRefused("bad-header", "the protected header is not an object")
    return value


def _notes(header: dict[str, Any], texts: str) -> tuple[str, ...]:
    notes = [f"{name}-ignored" for name in ("jku", "jwk", "x5u", "x5c") if header.get(name) is not None]
    if set("+/=") & set(texts):
        notes.append("base64-not-url-safe")
    return tuple(notes)
