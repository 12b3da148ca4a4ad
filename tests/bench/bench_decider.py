"""One changed card against ten thousand locks, ten of them on that agent, beside the same with ten locks (goal: ≤ 1.5 ×)."""

import gc
import json
import statistics
import time

from tests.services.decider.scene import Scene, lock, profile

AGENT = "pricing"
MINE = 10
CHANGES = 120


def bench(locks: int = 10_000) -> dict[str, float]:
    """Milliseconds per changed card, medians, both sides measured in turn, and their ratio."""
    few, many = _scene(MINE), _scene(locks)
    taken: dict[str, list[float]] = {"few": [], "many": []}
    gc.collect()
    gc.disable()
    try:
        for number in range(CHANGES):
            for name, scene in (("few", few), ("many", many)):
                taken[name].append(_changed(scene, number))
    finally:
        gc.enable()
    small, large = (1_000 * statistics.median(times) for times in taken.values())
    return {"few_ms": round(small, 3), "many_ms": round(large, 3), "ratio": round(large / small, 3)}


def _scene(locks: int) -> Scene:
    scene = Scene()
    for number in range(locks // MINE):
        agent = AGENT if number == 0 else f"agent-{number}"
        scene.track(agent, f"https://{agent}.example/card.json")
        for workflow in range(MINE):
            scene.pin(lock(agent=agent, workflow=f"{agent}-{workflow}"), agent, baseline=profile())
        scene.observe(profile(), agent)
    assert len(scene.told) == locks
    scene.rows.taken()
    return scene


def _changed(scene: Scene, number: int) -> float:
    before = len(scene.told)
    start = time.perf_counter()
    scene.observe(profile(), AGENT, version=f"4.{number}.0")
    scene.rows.taken()
    spent = time.perf_counter() - start
    assert len(scene.told) - before == MINE
    return spent


if __name__ == "__main__":
    print(json.dumps(bench()))
