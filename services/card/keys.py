"""Key sets: the keys that may verify the cards of one origin, as the operator's files and the provider's URLs give them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from cardtrail.events.errors import DocumentRefused, UsageError
from cardtrail.events.model.value import Value
from cardtrail.services.card.jwk import Key, read_jwk
from cardtrail.services.card.parse import parse

MAX_KEYS = 256


class KeySet(Value):
    """Keys of one origin. `sources` are the URLs they came from; `problems` say in words what is wrong with set or source."""

    keys: tuple[Key, ...] = ()
    sources: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, kid: str) -> tuple[Key, ...]:
        """The keys that answer to `kid`: by name, by thumbprint, else those that bear no name at all."""
        named = tuple(key for key in self.keys if kid in {key.kid, key.thumbprint})
        return named or tuple(key for key in self.keys if not key.kid)

    def revoking(self, names: Iterable[str], since: datetime) -> "KeySet":
        """The same set with the keys that the operator revoked, by kid or thumbprint."""
        revoked = frozenset(names)
        keys = (
            key.model_copy(update={"revoked_at": since}) if revoked & {key.kid, key.thumbprint} else key
            for key in self.keys
        )
        return self.model_copy(update={"keys": tuple(keys)})

    def joined(self, other: "KeySet") -> "KeySet":
        """Both sets; a key that stands in both is taken once, from this set."""
        held = {(key.kid, key.thumbprint) for key in self.keys}
        more = tuple(key for key in other.keys if (key.kid, key.thumbprint) not in held)
        return KeySet(
            keys=self.keys + more, sources=self.sources + other.sources, problems=self.problems + other.problems
        )


def parse_keys(data: bytes, *, file: str = "", source: str = "") -> KeySet:
    """Read a JWK set; keys of an unknown kind stay in it with their problem, so that a signature can say why.

    Raises:
        UsageError: `keys-not-jwks`, with a hint that names what was given instead.
    """
    try:
        document = parse(data)
    except DocumentRefused as error:
        text, hint = _foreign(data) or (error.message, "give the provider's JWK set, RFC 7517")
        line, column = error.line or 1, error.column or 1
        raise UsageError("keys-not-jwks", text, hint=hint, file=file, line=line, column=column) from error
    keys = document.value.get("keys") if isinstance(document.value, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, dict) for key in keys) or len(keys) > MAX_KEYS:
        text, hint = _near(document.value)
        raise UsageError("keys-not-jwks", text, hint=hint, file=file, line=1, column=1)
    read = tuple(read_jwk(key) for key in keys)
    return KeySet(keys=read, sources=(source,) if source else (), problems=tuple(_problems(keys)))


def _foreign(data: bytes) -> tuple[str, str] | None:
    if b"-----BEGIN " in data[:4096]:
        return "PEM where a JWK set is wanted", 'convert the key to a JWK and wrap it: {"keys": [{…}]}'
    if data.lstrip()[:1] == b"<":
        return "an HTML or XML page where a JWK set is wanted", "did a login page answer?"
    return None


def _near(value: Any) -> tuple[str, str]:  # noqa: ANN401 — a JSON value
    if isinstance(value, dict) and "kty" in value:
        return "one JWK where a JWK set is wanted", 'wrap it: {"keys": [{…}]}'
    texts = list(value.values()) if isinstance(value, dict) else []
    if texts and all(isinstance(text, str) and "-----BEGIN " in text for text in texts):
        return "a map of kid to PEM where a JWK set is wanted", 'convert each key to a JWK: {"keys": [{"kid": …}]}'
    if isinstance(value, dict) and isinstance(value.get("keys"), list) and len(value["keys"]) > MAX_KEYS:
        return f"more than {MAX_KEYS} keys", "give only the keys of this origin"
    return "no JWK set", "a JWK set is an object with a list `keys` of objects (RFC 7517 §5)"


def _problems(keys: list[dict[str, Any]]) -> list[str]:
    private = any({"d", "k"} & key.keys() for key in keys)
    return ["the key set holds private or secret keys; publish the public members only"] if private else []
