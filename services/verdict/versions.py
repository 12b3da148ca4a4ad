"""How version strings compare: an agent's version (semver where it is one) and a protocol version (Major.Minor)."""

import re
from typing import NamedTuple

_SEMVER = re.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")

_NUMBER = r"(0|[1-9]\d{0,8})"
_RELEASED = re.compile(rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:\+[0-9A-Za-z.-]+)?", re.ASCII)


class Ordered(NamedTuple):
    """A version that can be ordered; a pre-release comes before its release (semver §11)."""

    numbers: tuple[int, ...]
    released: bool
    pre: tuple[tuple[int, int, str], ...]


def ordered(version: str) -> Ordered | None:
    """The version as something to compare, None for a string with no such form (`0.1-draft` has one, `latest` has none)."""
    match = _SEMVER.fullmatch(version.strip())
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return Ordered(tuple(numbers), not match[2], tuple(map(_pre, match[2].split("."))) if match[2] else ())


def went_down(before: str, after: str) -> bool:
    """Whether both can be ordered and the new one is lower."""
    old, new = ordered(before), ordered(after)
    return old is not None and new is not None and new < old


def is_patch(before: str, after: str) -> bool:
    """Whether both are released x.y.z (semver: no leading zeros, build metadata aside) and only z has grown."""
    old, new = _triple(before), _triple(after)
    return old is not None and new is not None and old[:2] == new[:2] and old[2] < new[2]


def protocol(version: str) -> str:
    """A protocol version cut to Major.Minor (A2A §3.6: patch numbers take no part); other strings as they are."""
    match = re.fullmatch(r"(\d{1,9}\.\d{1,9})(\.\d{1,9})*", version.strip())
    return match[1] if match else version.strip()


def major(version: str) -> int | None:
    """The major number of a protocol version, None where it has none."""
    match = re.match(r"(\d{1,9})\.", version.strip() + ".")
    return int(match[1]) if match else None


def _triple(version: str) -> tuple[int, int, int] | None:
    match = _RELEASED.fullmatch(version.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _pre(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdecimal() and len(part) < 10 else (1, 0, part)  # noqa: PLR2004 — fits any int
