"""What people do here: accept a finding, log in, choose a theme. Each write brings our own form's token."""

import asyncio
import hmac
from urllib.parse import parse_qsl
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardtrail.events.errors import CardtrailError, UsageError
from cardtrail.services.telling import operator_fact
from cardtrail.services.web.address import decision_path
from cardtrail.services.web.answer import THEMES, Answers, Shown
from cardtrail.services.web.asked import Asked, asked
from cardtrail.services.web.guard import COOKIE, local_path, session
from cardtrail.services.web.site import Site
from cardtrail.services.web.views.acknowledge import AcknowledgeView, acknowledge_view, acknowledged

_FORM_BYTES, _FIELDS = 16_384, 20
_PATIENCE_S = 3.0
_YEAR_S = 31_536_000


class Acts:
    """The endpoints that write."""

    def __init__(self, site: Site, answers: Answers) -> None:
        """Over one site."""
        self._site, self._answers = site, answers

    async def confirm(self, request: Request) -> Response:
        """GET `/acknowledge`: what would be told, to confirm; tells nothing."""
        try:
            given = asked(request.url.path, request.url.query)
            return self._answers.page(request, given, self._shown(given, dict(given.pairs)))
        except CardtrailError as error:
            return self._answers.error(request, error)

    async def acknowledge(self, request: Request) -> Response:
        """POST `/acknowledge`: tell it, wait until it shows, go back to the decision."""
        try:
            said = await _form(request)
            given = Asked(request.url.path, tuple((name, said[name]) for name in ("principal",) if said.get(name)))
            if self._site.read_only:
                raise UsageError("read-only", "this page is read-only", hint="cardtrail ack does it")
            if not hmac.compare_digest(said.get("token", "").encode(), self._site.form_token.encode()):
                raise UsageError(
                    "form-stale",
                    "this form is of an earlier run of the page",
                    hint="go back, load it again, send again",
                )
            shown = self._shown(given, said)
            if not isinstance(shown.view, AcknowledgeView) or shown.view.problem:
                return self._answers.page(request, given, shown)
            told = await self._site.context.bus.tell([operator_fact(acknowledged(shown.view), "page")])
            decision = await self._decided(told[0], given, shown.view)
            return RedirectResponse(given.to(decision_path(decision)), 303)
        except CardtrailError as error:
            return self._answers.error(request, error)

    async def login_page(self, request: Request) -> Response:
        """GET `/login`."""
        return self._answers.form(
            request, "login.html", back=local_path(request.query_params.get("back", "/")), failed=False
        )

    async def login(self, request: Request) -> Response:
        """POST `/login`: a right token becomes a cookie."""
        try:
            said = await _form(request)
        except CardtrailError as error:
            return self._answers.error(request, error)
        back = local_path(said.get("back", "/"))
        if not hmac.compare_digest(said.get("token", "").encode(), self._site.token.encode()):
            return self._answers.form(request, "login.html", status=403, back=back, failed=True)
        answer = RedirectResponse(back, 303)
        answer.set_cookie(COOKIE, session(self._site.token), httponly=True, samesite="strict")
        return answer

    async def theme(self, request: Request) -> Response:
        """POST `/theme`: light, dark or the system's."""
        try:
            said = await _form(request)
        except CardtrailError as error:
            return self._answers.error(request, error)
        answer = RedirectResponse(local_path(said.get("back", "/")), 303)
        theme = said.get("theme", "")
        answer.set_cookie("theme", theme if theme in THEMES else "", max_age=_YEAR_S, httponly=True, samesite="strict")
        return answer

    def _shown(self, given: Asked, said: dict[str, str]) -> Shown:
        site = self._site
        view = acknowledge_view(site.live(given), said, site.now(), read_only=site.read_only)
        return Shown("acknowledge.html", view, 0, "Accept a finding", live=False)

    async def _decided(self, sequence: int, given: Asked, view: AcknowledgeView) -> str:
        """The decision that took the acknowledgement into account; where that takes too long, the one before it."""
        version, loop = -1, asyncio.get_running_loop()
        deadline = loop.time() + _PATIENCE_S
        while loop.time() < deadline:
            row = self._site.live(given).row("lockfile_status", view.workflow, view.agent)
            if row and row["judged_through"] >= sequence and self._site.trail.decisions.get(UUID(row["decision"])):
                return str(row["decision"])
            version = await self._site.pulse.after(version, 0.1)
        return view.decision


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, bounded.

    Raises:
        UsageError: `form-invalid`.
    """
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise UsageError("form-invalid", "a form is wanted")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _FORM_BYTES:
            raise UsageError("form-invalid", f"more than {_FORM_BYTES} bytes")
    try:
        pairs = parse_qsl(body.decode(), max_num_fields=_FIELDS, keep_blank_values=True)
    except ValueError as error:
        raise UsageError("form-invalid", "too many fields, or no UTF-8") from error
    return {name: value.strip() for name, value in pairs}
