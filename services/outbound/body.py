"""A body under caps: bytes on the wire and bytes after decompression are counted apart, and neither is read past its cap."""

import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase

from cardtrail.services.outbound.call import Limits, Refused

ACCEPT_ENCODING = "gzip, deflate"
_GZIP, _DEFLATE, _RAW_DEFLATE = 31, 15, -15


def media_type(headers: Mapping[str, str]) -> str:
    """Type and subtype in lower case, parameters gone; "" where none is stated."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def accepted(media: str, accepts: tuple[str, ...]) -> bool:
    """Whether a media type is one of the patterns; no pattern = any."""
    return not accepts or any(fnmatchcase(media, pattern) for pattern in accepts)


class Meter:
    """Takes raw chunks, gives decoded ones, and refuses at the first byte over a cap."""

    def __init__(self, headers: Mapping[str, str], limits: Limits) -> None:
        """Choose the decoder; one coding at most.

        Raises:
            Refused: `content-encoding` for a coding not asked for, `body-too-large` where Content-Length already says so.
        """
        self._limits = limits
        self._wire = self._decoded = 0
        self._coding = headers.get("content-encoding", "identity").strip().lower() or "identity"
        if self._coding not in ("identity", "gzip", "x-gzip", "deflate"):
            raise Refused("fetch", "content-encoding", f"{self._coding[:80]!r} was not asked for")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > limits.wire_bytes:
            raise Refused("fetch", "body-too-large", f"Content-Length {length[:20]} is over {limits.wire_bytes} bytes")
        self._inflate = (
            None if self._coding == "identity" else zlib.decompressobj(_DEFLATE if self._coding == "deflate" else _GZIP)
        )

    @property
    def wire_bytes(self) -> int:
        """Bytes read so far, before decompression."""
        return self._wire

    def feed(self, chunk: bytes) -> bytes:
        """The decoded bytes behind a raw chunk.

        Raises:
            Refused: `body-too-large` (on the wire), `decompressed-too-large`, `body-broken`.
        """
        first = self._wire == 0
        self._wire += len(chunk)
        if self._wire > self._limits.wire_bytes:
            raise Refused("fetch", "body-too-large", f"over {self._limits.wire_bytes} bytes on the wire")
        plain = chunk if self._inflate is None else self._inflated(chunk, first=first)
        self._decoded += len(plain)
        if self._decoded > self._limits.body_bytes:
            raise Refused(
                "fetch", "decompressed-too-large", f"over {self._limits.body_bytes} bytes after {self._coding}"
            )
        return plain

    def finish(self) -> None:
        """Say that the body has ended.

        Raises:
            Refused: `body-broken` where the compressed stream has not.
        """
        if self._inflate is not None and self._wire and not self._inflate.eof:
            raise Refused("fetch", "body-broken", f"the {self._coding} stream is cut short")

    def _inflated(self, chunk: bytes, *, first: bool) -> bytes:
        room = self._limits.body_bytes - self._decoded + 1
        try:
            return self._step(chunk, room)
        except zlib.error as error:
            if not (first and self._coding == "deflate"):
                raise Refused("fetch", "body-broken", str(error)) from None
        self._inflate = zlib.decompressobj(_RAW_DEFLATE)  # some servers send deflate without its zlib frame
        try:
            return self._step(chunk, room)
        except zlib.error as error:
            raise Refused("fetch", "body-broken", str(error)) from None

    def _step(self, chunk: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while chunk and room > 0 and self._inflate is not None:
            if self._inflate.eof:  # a gzip file may hold several members (RFC 1952 §2.2)
                self._inflate = zlib.decompressobj(_GZIP)
            parts.append(self._inflate.decompress(chunk, room))
            room -= len(parts[-1])
            chunk = self._inflate.unused_data
        return b"".join(parts)
