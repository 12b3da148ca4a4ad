"""What the folds of a service hold back: said to whoever asks for its health, tried again for `cardtrail replay --parked`."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from cardtrail.services.bus.progress import Progress

AGAIN = "cardtrail.again"
_WITHIN_S = 60.0
_NAMED = 3


def held_back(folds: Mapping[str, Mapping[str, Any]]) -> str:
    """What the folds in a service's health hold back, in words; "" where that is nothing."""
    holding = [f"{name} {seen['parked']}" for name, seen in sorted(folds.items()) if seen.get("parked")]
    if not holding:
        return ""
    more = [f"{len(holding) - _NAMED} more"] if len(holding) > _NAMED else []
    return f"holds facts back that it cannot apply ({', '.join([*holding[:_NAMED], *more])}): their agents stand as before them"


async def tried_again(service: str, progress: Mapping[str, Progress]) -> dict[str, object]:
    """How many facts each fold held back before and holds back now; one that did not come to it in a minute says so."""
    holding = {name: seen for name, seen in sorted(progress.items()) if seen.parked and seen.follows == "facts"}
    told = await asyncio.gather(*(_tried(seen) for seen in holding.values()))
    return {"service": service, "folds": dict(zip(holding, told, strict=True))}


async def _tried(seen: Progress) -> dict[str, object]:
    before, tried = seen.parked, seen.tried
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WITHIN_S):
            await seen.retried()
    return {"before": before, "now": seen.parked, "tried": seen.tried > tried}
