"""How uncertain a share or a count is, as 95 % intervals: Wilson's for k of n, the exact one for a Poisson count. Pure.

The same bounds serve the SQL views (as macros) and whoever computes in Python. Sources: E. B. Wilson, JASA 22 (1927) 209;
F. Garwood, Biometrika 28 (1936) 437; Byar's approximation in N. E. Breslow, N. E. Day, IARC 82 (1987) §2.3.
"""

from functools import cache
from math import exp, fsum, sqrt

Z = 1.959963984540054
"""The 97.5 % point of the normal distribution."""
TAIL = 0.025
EXACT_TO = 50
"""Counts up to here have exact bounds; beyond, Byar's differ from them by less than one in ten thousand."""
_HALVINGS = 48


def wilson(held: float, tried: float) -> tuple[float, float]:
    """The bounds of a share of `held` in `tried`; (0, 1), which says nothing, where nothing was tried.

    Neither need be a whole number: an effective number of trials is one, too.
    """
    if tried <= 0:
        return 0.0, 1.0
    spread = Z * sqrt(held * (tried - held) / tried + Z * Z / 4)
    middle, whole = held + Z * Z / 2, tried + Z * Z
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


@cache
def poisson(count: int) -> tuple[float, float]:
    """The bounds of what is to be expected where `count` were seen; none seen: at most 3.69."""
    if count > EXACT_TO:
        return _byar(count)
    low = _solved(count - 1, 1 - TAIL) if count else 0.0
    return low, _solved(count, TAIL)


def effective(tries: list[int]) -> float:
    """How many trials the mean of several shares is worth, each weighing the same: m² ÷ Σ 1/n (Kish)."""
    return len(tries) ** 2 / fsum(1 / tried for tried in tries) if tries and all(tries) else 0.0


def macros() -> tuple[str, ...]:
    """The same as SQL: `wilson_low`, `wilson_high` (k, n), `poisson_low`, `poisson_high` (k)."""
    middle, spread = f"k + {Z * Z / 2!r}", f"{Z!r} * sqrt(k * (n - k) / n::DOUBLE + {Z * Z / 4!r})"
    whole = f"(n + {Z * Z!r})"
    bounds = [poisson(count) for count in range(EXACT_TO + 1)]
    lows, highs = ([round(bound[side], 9) for bound in bounds] for side in (0, 1))
    byar = "power(1 - 1 / (9.0 * {0}) {1} {z!r} / (3 * sqrt({0})), 3)"
    low = f"k * {byar.format('k', '-', z=Z)}"
    high = f"(k + 1) * {byar.format('(k + 1)', '+', z=Z)}"
    return (
        f"CREATE MACRO wilson_low(k, n) AS CASE WHEN n > 0 THEN greatest(0, ({middle} - {spread}) / {whole}) END",
        f"CREATE MACRO wilson_high(k, n) AS CASE WHEN n > 0 THEN least(1, ({middle} + {spread}) / {whole}) END",
        f"CREATE MACRO poisson_low(k) AS CASE WHEN k <= {EXACT_TO} THEN {lows}[k + 1] ELSE {low} END",
        f"CREATE MACRO poisson_high(k) AS CASE WHEN k <= {EXACT_TO} THEN {highs}[k + 1] ELSE {high} END",
    )


def _solved(count: int, chance: float) -> float:
    """The expectation under which at most `count` come with this chance."""
    below, above = 0.0, 2.0 * count + 20.0
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        below, above = (middle, above) if _at_most(count, middle) > chance else (below, middle)
    return (below + above) / 2


def _at_most(count: int, expected: float) -> float:
    """The chance of at most `count`."""
    term = total = exp(-expected)
    for k in range(1, count + 1):
        term *= expected / k
        total += term
    return total


def _byar(count: int) -> tuple[float, float]:
    low = count * (1 - 1 / (9 * count) - Z / (3 * sqrt(count))) ** 3
    more = count + 1
    return low, more * (1 - 1 / (9 * more) + Z / (3 * sqrt(more))) ** 3
