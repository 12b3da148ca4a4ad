"""One view in every form: page, `.json`, `.csv`, `.txt`, `.live`; and errors that say what is missing, why, and what fills it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import CardtrailError, InputRefused, Unreachable, UsageError
from cardtrail.events.fact import dump, instant
from cardtrail.events.model.value import Value
from cardtrail.services.bus.alone import pause
from cardtrail.services.cli.shell.text import json_guarded, plain
from cardtrail.services.web.asked import Asked, asked
from cardtrail.services.web.rows import table_of
from cardtrail.services.web.site import LOADING, Missing, Site

log = logging.getLogger("cardtrail.web")
FORMS = (".json", ".csv", ".txt", ".live")
_BEAT_S, _PACE_S, _SHARE = 5.0, 0.4, 4
_AGAIN_S = "3"
_LINE = 2_000
THEMES = frozenset(("light", "dark"))


@dataclass(frozen=True)
class Shown:
    """What a view came to: its template and values; `live` says that it may change, `said` is read aloud when it does.

    `table` names the member whose rows are the view's table.
    """

    template: str
    view: Value
    through: int
    title: str
    said: str = ""
    live: bool = True
    table: str = ""
    raw: bytes | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200

    @property
    def mark(self) -> str:
        """The id of this state: the log's position and a digest of all that is shown but the hour."""
        content = self.view.model_dump(mode="json", exclude={"at", "through", "end"})
        return f"{self.through}-{raw_digest(dump(content))[7:23]}"


View = Callable[[Site, Request, Asked], Awaitable[Shown]]


class Answers:
    """Turns views into responses."""

    def __init__(self, site: Site, templates: Environment) -> None:
        """One for all views."""
        self._site, self._templates = site, templates
        self._drawings: tuple[int, dict[Asked, asyncio.Future[tuple[str, str]]]] = -1, {}

    def in_form(self, view: View, form: str) -> Callable[[Request], Awaitable[Response]]:
        """The endpoint that answers with one form of a view."""

        async def endpoint(request: Request) -> Response:
            path = request.url.path.removesuffix(form) if form else request.url.path
            try:
                given = asked(path, request.url.query)
                if form == ".live":
                    return self._live(view, request, given)
                shown = await view(self._site, request, given)
            except CardtrailError as error:
                return self.error(request, error, form=form)
            if form == ".json":
                return _json(shown.view.model_dump(mode="json"), shown.status)
            if form == ".csv":
                return _csv(shown)
            if form == ".txt":
                return _file(shown, path.strip("/").replace("/", "-") + form)
            return self.page(request, given, shown)

        return endpoint

    def page(self, request: Request, given: Asked, shown: Shown) -> Response:
        """The whole page."""
        return _html(self._rendered(request, given, shown, "page.html"), shown.status)

    def error(self, request: Request, error: CardtrailError, *, form: str = "", status: int = 0) -> Response:
        """What went wrong, in the form that was asked for; never a traceback."""
        kinds = ((Missing, 404), (UsageError, 400), (InputRefused, 422), (Unreachable, 503))
        status = status or next((code for kind, code in kinds if isinstance(error, kind)), 500)
        if form == ".json":
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            return _json({"format": "cardtrail.error/1", "error": told}, status)
        if form in {".csv", ".txt"}:
            lines = (f"error[{error.code}] {error.message}", *([f"hint: {error.hint}"] if error.hint else ()))
            return PlainTextResponse("".join(f"{plain(line, _LINE)}\n" for line in lines), status)
        values = self._values(request, Asked(request.url.path), None) | {"error": error, "status": status}
        answer = _html(self._templates.get_template("error.html").render(values), status)
        if error.code == LOADING:
            answer.headers["Refresh"] = _AGAIN_S
        return answer

    def form(self, request: Request, template: str, *, status: int = 200, **values: object) -> Response:
        """A page that is no view."""
        told = self._values(request, Asked(request.url.path), None) | values
        return _html(self._templates.get_template(template).render(told), status)

    def _rendered(self, request: Request, given: Asked, shown: Shown, layout: str) -> str:
        """The template in a layout: `page.html` is all of it, `live.html` the part that changes."""
        values = self._values(request, given, shown) | {"layout": layout}
        return self._templates.get_template(shown.template).render(values)

    def _values(self, request: Request, given: Asked, shown: Shown | None) -> dict[str, Any]:
        site = self._site
        standing = site.memory.standing(given.principal)
        return {
            "asked": given,
            "shown": shown,
            "view": shown.view if shown else None,
            "now": given.at or site.now(),
            "principals": site.memory.principals,
            "standing": standing,
            "silent": site.signs.silent(given.principal),
            "held": site.memory.held(given.principal),
            "layout": "page.html",
            "theme": theme if (theme := request.cookies.get("theme")) in THEMES else "",
            "read_only": site.read_only,
            "form_token": site.form_token,
            "locked": bool(site.token),
            **(shown.extra if shown else {}),
        }

    def _live(self, view: View, request: Request, given: Asked) -> Response:
        if given.at is not None:
            raise UsageError("query-invalid", "the past does not move", hint="leave at= away")
        sent = request.headers.get("last-event-id") or given.one("seen")
        fresh = Asked(given.path, tuple(pair for pair in given.pairs if pair[0] != "seen"), given.at)
        return EventSourceResponse(self._events(view, request, fresh, sent), ping=3_600, sep="\n")

    async def _events(self, view: View, request: Request, given: Asked, sent: str) -> AsyncIterator[ServerSentEvent]:
        """The view anew whenever it differs from what was sent last, and every few seconds how the tracker stands."""
        site, version = self._site, -1
        while not site.context.stop.is_set():
            yield self._beat(given)
            moved = await site.pulse.after(version, _BEAT_S)
            if moved == version:
                continue
            version, began = moved, asyncio.get_running_loop().time()
            try:
                mark, text = await self._drawn(view, request, given, version)
            except CardtrailError as error:
                log.debug("%s: %s", given.path, error)
                continue
            if mark.partition("-")[2] != sent.partition("-")[2]:
                sent = mark
                yield ServerSentEvent(text, id=sent, sep="\n")
            took = asyncio.get_running_loop().time() - began
            # A large fleet that never rests leaves room for others.
            await pause(site.context.stop, max(_PACE_S, _SHARE * took))

    async def _drawn(self, view: View, request: Request, given: Asked, version: int) -> tuple[str, str]:
        """The mark and the text of a view, drawn once for all who follow it, and not anew before something has moved."""
        if self._drawings[0] < version:
            self._drawings = version, {}
        drawings = self._drawings[1]
        if given not in drawings:
            drawings[given] = asyncio.ensure_future(self._draw(view, request, given))
        return await asyncio.shield(drawings[given])

    async def _draw(self, view: View, request: Request, given: Asked) -> tuple[str, str]:
        shown = await view(self._site, request, given)
        held = self._site.memory.held(given.principal).facts
        return f"{shown.mark}-{held}" if held else shown.mark, self._rendered(request, given, shown, "live.html")

    def _beat(self, given: Asked) -> ServerSentEvent:
        standing, silent = self._site.memory.standing(given.principal), self._site.signs.silent(given.principal)
        state, since = standing.state, standing.since
        if silent is not None and state != "blind":
            state, since = "blind", silent.since
        return ServerSentEvent(dump({"state": state, "since": instant(since)}).decode(), event="beat", sep="\n")


def _html(text: str, status: int) -> Response:
    return Response(text, status, media_type="text/html; charset=utf-8")


def _json(document: dict[str, Any], status: int) -> Response:
    """With what cannot be seen written as escapes."""
    return Response(json_guarded(dump(document).decode()), status, media_type="application/json")


def _csv(shown: Shown) -> Response:
    if not shown.table:
        return Response("this view is no table; see .json\n", 404, media_type="text/plain; charset=utf-8")
    return Response(table_of(shown.view, shown.table), media_type="text/csv; charset=utf-8")


def _file(shown: Shown, name: str) -> Response:
    """The bytes as they are, to keep and not to show: whoever made them also chose what a terminal or browser would do."""
    if shown.raw is None:
        return Response("this view has no bytes of its own; see .json\n", 404, media_type="text/plain; charset=utf-8")
    kept = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(shown.raw, headers=kept, media_type="text/plain; charset=utf-8")
