"""For programs that watch the tracker: `/health` tells quiet from dead, `/metrics` speaks Prometheus."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cardtrail.events.errors import Unreachable
from cardtrail.services.bus.metering import METRICS
from cardtrail.services.bus.questions import ask_all
from cardtrail.services.held_back import held_back
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
        """200 while every process of every service lives, a quiet log or not; else 503."""
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
        problem = "service-unreachable"
        try:
            answers = await ask_all(self._site.context.bus, HEALTH, SERVICES, within_s=_WITHIN_S)
        except Unreachable as away:
            answers, problem = [], away.code
        return {name: _service([one for one in answers if one["service"] == name], problem) for name in SERVICES}

    async def _processes(self) -> list[dict[str, Any]]:
        try:
            found = await ask_all(self._site.context.bus, METRICS, SERVICES, within_s=_WITHIN_S)
        except Unreachable:
            return []  # the scrape says by its gauges that nobody answers
        return [one for one in found if "text" in one]


def _service(processes: list[dict[str, Any]], problem: str) -> dict[str, Any]:
    """A service by the process of it that is at work; it lives where all of its processes do, so none hides another."""
    told = sorted(({**one, "alive": _lives(one)} for one in processes), key=lambda one: bool(one.get("waits")))
    if not told:
        return {"alive": False, "problem": problem, "folds": {}}
    alarms = [*told[0].get("alarms", ()), *filter(None, [held_back(told[0]["folds"])])]
    return {**told[0], "alive": all(one["alive"] for one in told), "alarms": alarms, "others": told[1:]}


def _lives(told: dict[str, Any]) -> bool:
    folds = told["folds"].values()
    silent = max((fold["silent_s"] for fold in folds), default=0.0)
    return silent < SILENT_S and bool(told["connected"]) and not any(fold.get("failing") for fold in folds)


def _as(principal: str) -> Asked:
    return Asked("/", (("principal", principal),))
