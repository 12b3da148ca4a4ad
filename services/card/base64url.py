"""base64url as a JWS has it (RFC 7515 §2): strict to write, tolerant of padding and of the standard alphabet to read."""

import base64
import re

from cardtrail.events.errors import InputRefused

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}", re.ASCII)


def decode_base64(text: str) -> bytes:
    """The bytes; every spelling of the same bytes reads the same.

    Raises:
        InputRefused: `malformed-base64`.
    """
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    if _BASE64.fullmatch(text) is None or len(bare) % 4 == 1:
        raise InputRefused("malformed-base64", "not base64url")
    return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))


def encode_base64(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
