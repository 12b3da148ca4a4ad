"""Where a secret lies. It is read at each use, so a rotated file is seen, and no value can be printed or stored."""

import base64
import os
from dataclasses import dataclass
from pathlib import Path

from cardtrail.services.outbound.call import Refused


@dataclass(frozen=True, slots=True)
class Secret:
    """An environment variable (`env`) or a file; the value exists only while it is sent."""

    env: str = ""
    file: Path | None = None

    def reveal(self) -> str:
        """The secret without surrounding whitespace.

        Raises:
            Refused: `credential-missing`, `credential-broken` (control characters would break the header it is sent in).
        """
        try:
            value = (
                os.environ.get(self.env, "") if self.env else self.file.read_text("utf-8") if self.file else ""
            ).strip()
        except (OSError, ValueError) as error:
            raise Refused(
                "authenticate", "credential-missing", f"{self.file}: {type(error).__name__}", "ours"
            ) from None
        if not value:
            raise Refused(
                "authenticate", "credential-missing", f"nothing in {self.env or self.file or 'no place'}", "ours"
            )
        if not value.isascii() or not value.isprintable():
            raise Refused(
                "authenticate", "credential-broken", f"{self.env or self.file} holds unprintable text", "ours"
            )
        return value


def basic(username: str, password: str) -> str:
    """The value of an `Authorization` header (RFC 7617)."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode("ascii")
