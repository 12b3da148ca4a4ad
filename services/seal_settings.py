"""What the operator can set about sealing the log: the key, how often a head is signed, where leaves and heads are kept."""

from pathlib import Path

from pydantic import Field

from cardtrail.events.model.value import Value
from cardtrail.services.durations import Seconds


class SealSettings(Value):
    """Without `key` (a file that `cardtrail seal --new-key` makes) nothing is sealed.

    A head is signed once `facts` facts are not under one, or `every` seconds after the first of them. `folder` keeps the leaf
    hashes and the signed heads, default `seal` below the data; copy it to where whoever can alter the log cannot.
    """

    key: Path | None = None
    folder: Path | None = None
    every: Seconds = 600
    facts: int = Field(default=1_000, ge=1)

    def home(self, data: Path) -> Path:
        """The folder."""
        return self.folder or data / "seal"

    def anchored(self, base: Path) -> "SealSettings":
        """Relative paths count from `base`."""
        key, folder = (base / path if path else None for path in (self.key, self.folder))
        return self.model_copy(update={"key": key, "folder": folder})
