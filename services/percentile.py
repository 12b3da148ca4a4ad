"""Percentiles by nearest rank: always a value that was measured. Pure."""


def percentile(ascending: list[float], percent: int) -> float | None:
    """The value that `percent` of these do not exceed; None without any."""
    return ascending[max(0, -(-len(ascending) * percent // 100) - 1)] if ascending else None
