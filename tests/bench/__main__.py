"""`make bench`: every path beside its yardstick in the same run, as a ratio; a path that misses its goal is said, never hidden.

Ratios move with the load of the machine: run it alone. `python -m tests.bench ROW…` runs some rows.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """One measured path: what, ours, the yardstick, the ratio or number that counts, the goal, whether it holds."""

    path: str
    ours: str
    yardstick: str
    result: str
    goal: str
    holds: bool


def card() -> Iterator[Row]:
    """Bytes to digest, beside a2a-sdk's parse alone."""
    from tests.bench.bench_card import bench

    for name, told in bench().items():
        ours, sdk = f"{told['ours_us']:.0f} µs", f"a2a-sdk parse {told['sdk_us']:.0f} µs"
        yield Row(f"card to digest ({name})", ours, sdk, f"{told['ratio']:.2f} ×", "< 1 ×", told["ratio"] < 1)


def check() -> Iterator[Row]:
    """`cardtrail check`, beside a bare interpreter with pydantic."""
    from tests.bench.bench_check import bench

    told = bench()
    bare = f"interpreter + pydantic {told['bare_ms']:.0f} ms"
    yield Row(
        "cardtrail check", f"{told['check_ms']:.0f} ms", bare, f"{told['ratio']:.2f} ×", "≤ 3 ×", told["ratio"] <= 3
    )


def decider() -> Iterator[Row]:
    """One changed card against 10,000 locks, beside 10."""
    from tests.bench.bench_decider import bench

    told = bench()
    few = f"10 locks {told['few_ms']:.2f} ms"
    yield Row(
        "10,000 locks, 10 on the agent",
        f"{told['many_ms']:.2f} ms",
        few,
        f"{told['ratio']:.2f} ×",
        "≤ 1.5 ×",
        told["ratio"] <= 1.5,
    )


def disk() -> Iterator[Row]:
    """An unchanged observation on disk."""
    from tests.bench.bench_disk import bench

    told = bench()
    size = f"{told['bytes_each']:.0f} bytes"
    yield Row("an unchanged observation", size, "stream blocks on disk", size, "≤ 200 bytes", told["bytes_each"] <= 200)


def refresh() -> Iterator[Row]:
    """A conditional refresh answered 304, beside a bare httpx GET."""
    from tests.bench.bench_refresh import bench

    told = bench()
    bare = f"httpx keep-alive {told['httpx_per_s']:.0f}/s"
    yield Row(
        "refresh answered 304",
        f"{told['refresh_per_s']:.0f}/s",
        bare,
        f"{told['ratio']:.0%}",
        "≥ 70 %",
        told["ratio"] >= 0.7,
    )


def history() -> Iterator[Row]:
    """Facts into DuckDB and a full rebuild, beside nats-py's pull and ack."""
    from tests.bench.bench_history import bench

    told = asyncio.run(bench())
    bare = f"nats-py pull + ack {told['bare']:,.0f}/s"
    for name, path in (("history", "facts into DuckDB history"), ("rebuild", "rebuild of all projections")):
        share = told[name] / told["bare"]
        yield Row(path, f"{told[name]:,.0f}/s", bare, f"{share:.0%}", "≥ 80 %", share >= 0.8)


def update() -> Iterator[Row]:
    """From a changed card to the planner's update, beside two bare hops."""
    from tests.bench.bench_update import bench

    told = bench()
    bare = f"two bare hops p99 {told['bare_p99_ms']:.1f} ms"
    yield Row(
        "card → planner's update, p99",
        f"{told['update_p99_ms']:.1f} ms",
        bare,
        f"{told['ratio']:.1f} ×",
        "≤ 5 ×",
        told["ratio"] <= 5,
    )


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    row.__name__: row for row in (card, check, decider, disk, refresh, history, update)
}


def main(names: list[str]) -> int:
    """Print the rows; 1 where a goal is missed."""
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        print(f"no such row: {', '.join(unknown)}; rows: {', '.join(ROWS)}", file=sys.stderr)
        return 2
    started, missed = time.monotonic(), 0
    for name in names or list(ROWS):
        for row in ROWS[name]():
            missed += not row.holds
            mark = "✓" if row.holds else "✗"
            print(
                f"{mark} {row.path:<34} {row.ours:>14}   {row.yardstick:<34} {row.result:>10}  (goal {row.goal})",
                flush=True,
            )
    print(f"{missed} missed, in {time.monotonic() - started:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
