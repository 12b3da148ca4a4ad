"""What `up` says when everything runs: where the broker and the page are, and what is watched."""

from collections.abc import Mapping

from cardtrail.services.bus.reachable import shown_url
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.declared import declared
from cardtrail.services.settings import Settings
from cardtrail.services.system import System
from cardtrail.services.web.whereabouts import found


async def beginning(system: System, settings: Settings, *, audit: bool) -> list[str]:
    """A line each; what the settings say is told by now, and stands on the log beside what was tracked by hand.

    Nothing follows a URL but a space or the end: it can be copied.
    """
    told = await declared(system.bus)
    watched = f"with {counted(len(told.watched()), 'agent')}, {counted(len(told.workflows()), 'workflow')}"
    doing = "for an audit: nothing is fetched, decided or told" if audit else watched
    page = found(settings.broker.data)
    up = f"cardtrail is up on {shown_url(system.url)} {doing}. Ctrl-C ends it."
    return [up, *([f"The page is at {page}"] if page else [])]


def announced(settings: Settings, environment: Mapping[str, str], services: tuple[str, ...]) -> str:
    """The line before all that, for whoever waits: what is started."""
    named = environment.get("NATS_URL") or settings.broker.url
    own = "" if named else "nats-server and "
    return f"starting {own}{counted(len(services), 'service')} {f'on {shown_url(named)} ' if named else ''}…"
