"""What the folds of a service hold back, tried again while it runs: `cardtrail replay --parked` asks for it."""

import asyncio
import contextlib
from collections.abc import Mapping

from cardtrail.services.bus.progress import Progress

AGAIN = "cardtrail.again"
_WITHIN_S = 60.0


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
