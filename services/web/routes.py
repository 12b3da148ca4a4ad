"""Which address shows what: every view in every form, and what people and programs do beside it."""

from pathlib import PurePath

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cardtrail.events.errors import CardtrailError
from cardtrail.services.web import pages
from cardtrail.services.web.acts import Acts
from cardtrail.services.web.answer import FORMS, Answers, View
from cardtrail.services.web.gate import Gate
from cardtrail.services.web.machine import Machine
from cardtrail.services.web.render import STATIC, environment
from cardtrail.services.web.site import Missing, Site

VIEWS: dict[str, View] = {
    "/fleet": pages.show_fleet,
    "/agents/{agent}": pages.show_agent,
    "/agents/{agent}/timeline": pages.show_timeline,
    "/agents/{agent}/compare": pages.show_compare,
    "/decisions/{id}": pages.show_decision,
    "/rules": pages.show_rules,
    "/rules/{id}": pages.show_rule,
    "/facts/{sequence}": pages.show_fact,
    "/facts/{sequence}/card": pages.show_card,
}
"""Every view by its path; each also as `.json`, as `.csv` where it is a table, as `.txt` where it is bytes, and `.live`."""


def application(site: Site) -> Gate:
    """The whole page."""
    answers, machine = Answers(site, environment()), Machine(site)
    acts = Acts(site, answers)
    views = [Route(path + form, answers.in_form(view, form)) for path, view in VIEWS.items() for form in (*FORMS, "")]

    async def nothing_here(request: Request, _: Exception) -> Response:
        missing = Missing("page-unknown", "there is no such page", hint="/ shows the fleet")
        return answers.error(request, missing, form=PurePath(request.url.path).suffix)

    async def went_wrong(request: Request, _: Exception) -> Response:
        failed = CardtrailError("internal", "the page could not answer", hint="see the log of this service")
        return answers.error(request, failed, form=PurePath(request.url.path).suffix)

    inner = Starlette(
        routes=[
            Route("/", answers.in_form(pages.show_fleet, "")),
            *views,
            Route("/acknowledge", acts.confirm, methods=["GET"]),
            Route("/acknowledge", acts.acknowledge, methods=["POST"]),
            Route("/login", acts.login_page, methods=["GET"]),
            Route("/login", acts.login, methods=["POST"]),
            Route("/theme", acts.theme, methods=["POST"]),
            Route("/health", machine.health),
            Route("/metrics", machine.metrics),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={404: nothing_here, 500: went_wrong},
    )
    return Gate(inner, site.token, site.names)
