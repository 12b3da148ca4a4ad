"""`cardtrail check LOCK CARD` as a process, beside a bare interpreter that imports pydantic and makes one model (goal: ≤ 3 ×)."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.services.card.cards import MINIMAL

RUNS = 15
BARE = "import pydantic\nclass A(pydantic.BaseModel): x: int = 1\nA()"


def bench(runs: int = RUNS) -> dict[str, float]:
    """Milliseconds of wall time, medians, both started in turn; and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        card, lock = Path(folder) / "card.json", Path(folder) / "w.lock.json"
        card.write_text(json.dumps(MINIMAL))
        ours = [sys.executable, "-m", "cardtrail.services.cli"]
        pin = [*ours, "pin", str(card), "--workflow", "w", "--everything", "-o", str(lock)]
        subprocess.run(pin, check=True, capture_output=True)
        check, bare = [*ours, "check", str(lock), str(card)], [sys.executable, "-c", BARE]
        taken: dict[str, list[float]] = {"bare": [], "check": []}
        for _ in range(runs):
            for name, command in (("bare", bare), ("check", check)):
                taken[name].append(_spent(command))
    bare_ms, check_ms = (1_000 * statistics.median(times) for times in taken.values())
    return {"bare_ms": round(bare_ms, 1), "check_ms": round(check_ms, 1), "ratio": round(check_ms / bare_ms, 2)}


def _spent(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(bench()))
