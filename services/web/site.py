"""What every view works with: settings, the memory, the log, the clock; and whom and when a request is about."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.service import Context
from cardtrail.services.web.address import named
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.fleets import Fleets
from cardtrail.services.web.known import Known
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.past import Past
from cardtrail.services.web.pasts import Pasts
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.signs import Signs
from cardtrail.services.web.trail import Trail

LOADING = "page-loading"
"""Code of the answer while the log is being read: the same address will show something soon."""


class Missing(UsageError):
    """What the address names is not there (HTTP 404); the hint says what would fill it."""


class About(NamedTuple):
    """An agent with its past, and what locks call it."""

    past: Past
    names: tuple[str, ...]


@dataclass(frozen=True)
class Site:
    """One running page; `token` is what everybody must bring ("" = nothing), `form_token` stands in our own forms."""

    context: Context
    memory: Memory
    trail: Trail
    pasts: Pasts
    fleets: Fleets
    pulse: Pulse
    signs: Signs
    now: Callable[[], datetime]
    token: str
    form_token: str
    names: frozenset[str]

    @property
    def read_only(self) -> bool:
        """Whether nobody may write here."""
        return self.context.settings.web.read_only

    def live(self, given: Asked) -> Known:
        """What is known now as the principal of a request sees it.

        Raises:
            Missing: `principal-unknown`.
        """
        known = self.memory.known(given.principal)
        if known is None:
            hint = f"known: {', '.join(self.memory.principals)}"
            raise Missing("principal-unknown", f'nobody is called "{given.principal}" here', hint=hint)
        return Known(known.principal, {**known.tables, **self.trail.attempts}, known.through)

    async def known(self, given: Asked) -> Known:
        """What is known now, or was at the instant asked for. Raises as `live`; BrokerUnreachable for the past."""
        live = self.live(given)
        if given.at is None:
            return live
        self.reachable(given)
        return await self.fleets.at(given.principal, await self.pasts.through(given.at))

    async def about(self, given: Asked, segment: str) -> About:
        """The agent that a path names, with its past up to now or to the instant asked for.

        Raises:
            Missing: `principal-unknown`, `agent-unknown`. BrokerUnreachable: the log cannot be read.
        """
        live = self.live(given)
        agent = named(segment, live.everybody())
        if agent is None:
            hint = "cardtrail agents lists them; another principal may see it"
            raise Missing("agent-unknown", f"{given.principal} sees no such agent", hint=hint)
        return await self.past(given, live.names(agent))

    async def past(self, given: Asked, names: tuple[str, ...]) -> About:
        """The past of the agent that is first in `names`, under all names that it ever had for this principal."""
        agent, principal = names[0], given.principal
        names = tuple(dict.fromkeys((*names, *self.trail.called(agent, principal))))
        if given.at is not None:
            self.reachable(given)
            through = await self.pasts.through(given.at)
            return About(await self.pasts.then(agent, principal, names, through), names)
        news = max(map(self.trail.news, names))
        return About(await self.pasts.now(agent, principal, names, news, away=self.away(given)), names)

    def away(self, given: Asked) -> bool:
        """Whether the broker is known not to answer: nobody is made to wait for it."""
        return self.memory.standing(given.principal).state == "blind"

    def reachable(self, given: Asked) -> None:
        """Returns where the log can be read.

        Raises:
            BrokerUnreachable: it cannot.
        """
        if self.away(given):
            raise BrokerUnreachable("broker-unreachable", "the log cannot be read while the broker is away")
