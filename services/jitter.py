"""Spread that is always the same: drawn from an id and a number, so a replayed schedule is the same schedule. Pure."""

from datetime import datetime, timedelta
from hashlib import sha256

SPREAD_S = 600


def fraction(name: str, number: int) -> float:
    """A number in [0, 1) that is always the same for a name and a number, and evenly spread over names."""
    return int.from_bytes(sha256(f"{name}\0{number}".encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48


def resumed(due: datetime, now: datetime, name: str, spread_s: float = SPREAD_S) -> datetime:
    """After a restart: what is overdue is spread over `spread_s` seconds, the rest stays as it was."""
    return due if due > now else now + timedelta(seconds=spread_s * fraction(name, 0))
