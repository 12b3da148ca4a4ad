"""RFC 8785 canonical JSON and the digests over it; the sole user of rfc8785."""

import hashlib

import rfc8785
from pydantic_core import to_jsonable_python

from cardtrail.events.errors import InputRefused


def canonical(value: object) -> bytes:
    """RFC 8785 bytes of a JSON value.

    Raises:
        InputRefused: `number-range` for integers beyond ±(2^53-1), which the library refuses although JCS does not.
    """
    try:
        return rfc8785.dumps(to_jsonable_python(value))
    except (rfc8785.IntegerDomainError, rfc8785.FloatDomainError) as error:
        raise InputRefused("number-range", f"not canonicalizable: {error}") from error


def digest(value: object) -> str:
    """`sha256:` + 64 hex over the canonical form."""
    return raw_digest(canonical(value))


def raw_digest(data: bytes) -> str:
    """`sha256:` + 64 hex over bytes as they are."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
