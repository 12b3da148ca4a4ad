"""A registry walked by hand: the tracker's own walk and judgement, with nobody to tell it to."""

import asyncio
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from urllib.parse import urlsplit

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.projections.trouble import trouble_kind
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.outputs.scan import CardSeen, ScannedAgent, ScanOutput
from cardtrail.services.cli.shell.card_looks import CardLooks
from cardtrail.services.cli.shell.near import near
from cardtrail.services.cli.shell.options import Reach
from cardtrail.services.cli.shell.remote import forbidden
from cardtrail.services.declare import tracked
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.candidate import EntryRefused, Page, PageRequest
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.listed import judged
from cardtrail.services.fetcher.observe import refused
from cardtrail.services.fetcher.page import page_document
from cardtrail.services.fetcher.pages import page_fetch
from cardtrail.services.fetcher.registry_walk import Walk, walk
from cardtrail.services.fetcher.sources import source_of
from cardtrail.services.fetcher.watched import watching
from cardtrail.services.outbound.address import judge_url
from cardtrail.services.outbound.call import Answer, Call, Credential, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.credentials import build
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.registry_place import registry_place
from cardtrail.services.settings import Settings

_REFUSED, _UNREACHABLE, _OK = 3, 4, 200


def scan(given: str, tags: tuple[str, ...], tenant: str | None, reach: Reach, *, look: bool) -> tuple[ScanOutput, int]:
    """What a registry offers now, and the exit code: 3 for what is no listing, 4 where no whole answer was had.

    Raises:
        UsageError: `registry-unknown`, `target-forbidden`, or `file-unreadable` for a plain list that is not there.
    """
    settings = load_settings(reach.config)
    registry = settings.registries.get(given) or RegistrySettings(source=given)
    narrowed = {"tags": tags, "tenant": tenant, "networks": (*registry.networks, *reach.networks)}
    registry = registry.model_copy(update={name: value for name, value in narrowed.items() if value})
    registry = registry.model_copy(update={"cleartext": registry.cleartext or reach.cleartext})
    kind, place = registry_place(registry.source)
    reason = judge_url(place, registry.endpoints()).reason if "://" in place else ""
    if reason:
        raise forbidden(reason, reason, place)
    name = given if given in settings.registries else urlsplit(place).hostname or Path(place).stem
    return asyncio.run(_Scan(name, kind, place, registry, settings).made(look=look))


class _Scan:
    def __init__(self, name: str, kind: str, place: str, registry: RegistrySettings, settings: Settings) -> None:
        self.name, self.kind, self.place, self.registry, self.settings = name, kind, place, registry, settings
        self.errand = Errand(name, Target(kind="registry", value=place))
        self.unheard: set[str] = set()

    async def made(self, *, look: bool) -> tuple[ScanOutput, int]:
        settings = self.settings
        credentials = {name: build(name, held) for name, held in settings.credentials.items()}
        async with Door(settings.limits, settings.tls, resolver=static_names(settings.hosts)) as door:
            found = await self._walked(door, credentials)
            entries = list(
                judged(self.name, self.registry, found.candidates, watching([*tracked(settings).values()], {}))
            )
            agents = [one for one in entries if isinstance(one, AgentTracked)]
            looks = CardLooks(door.send, credentials, settings, found.candidates)
            seen = await asyncio.gather(*map(looks.seen, agents)) if look else [None] * len(agents)
        others = (*found.refused, *(one for one in entries if isinstance(one, EntryRefused)))
        output = ScanOutput(
            format="cardtrail.scan/1",
            at=instant(datetime.now(UTC)),
            registry=self.name,
            kind=self.kind,
            place=self.place,
            complete=found.complete,
            problem=found.problem[:300],
            entries=len(found.candidates) + len(found.refused),
            agents=tuple(starmap(_agent, zip(agents, seen, strict=True))),
            refused=others,
        )
        return output, 0 if found.complete else _UNREACHABLE if found.problem in self.unheard else _REFUSED

    async def _walked(self, door: Door, credentials: dict[str, Credential]) -> Walk:
        async def heard(call: Call) -> Answer | Refusal:
            answer = await door.send(call)
            if isinstance(answer, Refusal) and trouble_kind(refused(self.errand, answer)) == "unreachable":
                self.unheard.add(answer.reason)
            elif isinstance(answer, Answer) and answer.status != _OK:
                page = Page(request=PageRequest(url=call.url), status=answer.status)
                self.unheard.add(str(page_document(page)))
            return answer

        fetch = page_fetch(self.registry, heard, credentials.get(self.registry.credential), lambda: datetime.now(UTC))
        source, place = source_of(self.registry.source)
        found = await walk(source, place, fetch)
        if found.problem == "file-unreadable":
            hint = near(self.name, self.settings.registries) or "KIND:PLACE, a plain list, or a name in the settings"
            raise UsageError("file-unreadable", "no such list, and no registry of this name", hint=hint, file=place)
        return found


def _agent(event: AgentTracked, card: CardSeen | None) -> ScannedAgent:
    return ScannedAgent(
        agent=event.agent,
        principal=event.principal,
        target=event.target,
        interval_s=event.interval_s,
        metadata=event.registry_metadata,
        card=card,
    )
