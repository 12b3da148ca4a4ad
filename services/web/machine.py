"""For programs that watch the tracker: `/health` tells quiet from dead, `/metrics` speaks Prometheus."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.services.bus.metering import collected
from cardtrail.services.bus.questions import ask
from cardtrail.services.service import HEALTH, SERVICES
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.metrics import CONTENT_TYPE, exposition
from cardtrail.services.web.site import Site
from cardtrail.services.web.views.fleet import fleet

SILENT_S = 30.0
_WITHIN_S = 2.0


class Machine:
    """Both endpoints over one site."""

    def __init__(self, site: Site) -> None:
        """They ask every service."""
        self._site = site

    async def health(self, request: Request) -> Response:
        """200 while every service lives, a quiet log or not; else 503."""
        del request
        told = await self._services()
        healthy = all(one["alive"] for one in told.values())
        found = {"format": "cardtrail.page.health/1", "healthy": healthy, "services": told}
        return JSONResponse(found, 200 if healthy else 503)

    async def metrics(self, request: Request) -> Response:
        """The services' own metrics, and gauges of their folds, the log, the locks and the agents of every principal."""
        del request
        site = self._site
        try:
            log = await site.context.bus.info()
        except Unreachable:
            log = None
        fleets = [fleet(site.live(given), given, site.now()) for given in map(_as, site.memory.principals)]
        told, processes = await asyncio.gather(self._services(), self._processes())
        return Response(exposition(told, log, fleets, processes), media_type=CONTENT_TYPE)

    async def _services(self) -> dict[str, dict[str, Any]]:
        answers = await asyncio.gather(*map(self._one, SERVICES))
        return dict(zip(SERVICES, answers, strict=True))

    async def _processes(self) -> list[dict[str, Any]]:
        try:
            return list(await collected(self._site.context.bus, SERVICES))
        except Unreachable:
            return []  # the scrape says by its gauges that nobody answers

    async def _one(self, service: str) -> dict[str, Any]:
        try:
            told = await ask(self._site.context.bus, f"{HEALTH}.{service}", {}, within_s=_WITHIN_S)
        except CardtrailError as error:
            return {"alive": False, "problem": error.code, "folds": {}}
        silent = max((fold["silent_s"] for fold in told["folds"].values()), default=0.0)
        return {**told, "alive": silent < SILENT_S and bool(told["connected"])}


def _as(principal: str) -> Asked:
    return Asked("/", (("principal", principal),))
