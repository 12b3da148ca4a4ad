"""An answer that repeats the credential it was sent is not taken: whatever is stored of an answer would hold the secret.

Looked for is the secret as it was sent, whatever the case of its letters, also where JSON spells some of them as escapes: what
is read here is told in findings and facts. A server that writes it in a code of its own is not found out; nobody here decodes
that either.
"""

import re
from collections.abc import Iterable

from cardtrail.services.outbound.call import Refused

_SHORTEST = 8
"""Shorter words stand in answers by chance."""
_ESCAPE = re.compile(rb"\\(?:u00([0-7][0-9a-f])|([/\"\\]))")
_WIDEST = 6
"""Bytes that one letter may take."""


class Echo:
    """Looks through one answer, piece by piece, for the words that let us in; without any it costs nothing."""

    def __init__(self, hidden: Iterable[str] = ()) -> None:
        """`hidden`: what the credential put into the request (`Attachment.hidden`)."""
        self._words = tuple({word.lower().encode() for word in hidden if len(word) >= _SHORTEST})
        self._keep = max(map(len, self._words), default=0) * _WIDEST
        self._tail = b""

    @property
    def listens(self) -> bool:
        """Whether there is anything to look for: then no word of the answer is quoted in a refusal either."""
        return bool(self._words)

    def whole(self, texts: Iterable[str]) -> None:
        """Look through texts that are complete, header fields for one.

        Raises:
            Refused: `credential-echoed`.
        """
        if self._words and self._in("\n".join(texts).encode("latin-1", "replace")):
            raise Refused("fetch", "credential-echoed", "the answer repeats the credential that was sent")

    def piece(self, data: bytes) -> bytes:
        """The next piece of the body, looked through together with the end of the one before. Raises as `whole`."""
        if self._words:
            seen = self._tail + data
            if self._in(seen):
                raise Refused("fetch", "credential-echoed", "the body repeats the credential that was sent")
            self._tail = seen[-self._keep :]
        return data

    def _in(self, data: bytes) -> bool:
        spelled = data.lower()
        plain = _ESCAPE.sub(_meant, spelled) if b"\\" in spelled else spelled
        return any(word in spelled or word in plain for word in self._words)


def _meant(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[1], 16),)).lower() if escape[1] else escape[2]
