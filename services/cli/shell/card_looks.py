"""What a first look at the cards of a registry would come to: the tracker's own pipeline, a few at a time, nothing told."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import raw_digest
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.projections.trouble import trouble_kind
from cardtrail.services.cli.outputs.scan import CardSeen
from cardtrail.services.fetcher.candidate import Candidate
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import refresh
from cardtrail.services.fetcher.trusted import checks, key_fetch, key_store
from cardtrail.services.outbound.call import Credential, Send
from cardtrail.services.settings import Settings

_AT_ONCE = 8


class CardLooks:
    """Looks with the credentials and keys of the settings; `candidates` bring the cards that entries hold themselves."""

    def __init__(
        self, send: Send, credentials: Mapping[str, Credential], settings: Settings, candidates: Iterable[Candidate]
    ) -> None:
        """Ask nobody yet."""
        self._send, self._credentials = send, credentials
        self._checks = checks(key_store(settings), key_fetch(settings, send), lambda: datetime.now(UTC))
        self._held = {raw_digest(data): data for data in (one.document() for one in candidates) if data}
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def seen(self, event: AgentTracked) -> CardSeen:
        """One look."""
        async with self._turn:
            fact, _ = await refresh(self._errand(event), Memory(), self._send, self._checks, datetime.now(UTC))
        return _refused(fact) if isinstance(fact, CardRefused) else _usable(fact)

    def _errand(self, event: AgentTracked) -> Errand:
        target = event.target
        if target.kind == "document":
            target = Target(kind="document", value=self._held[target.value].decode("utf-8", "surrogatepass"))
        return Errand(
            event.agent,
            target,
            event.principal,
            event.endpoints,
            self._credentials.get(event.credential),
            legacy_path=event.legacy_path,
            stated=event.registry_metadata.get("digest", ""),
        )


def _usable(fact: CardFetched) -> CardSeen:
    return CardSeen(
        refused="",
        kind=None,
        detail="",
        shape=fact.shape,
        agent_version=fact.agent_version,
        signature=fact.signature.outcome,
        findings=tuple(dict.fromkeys(finding.code for finding in fact.findings)),
    )


def _refused(fact: CardRefused) -> CardSeen:
    return CardSeen(
        refused=f"{fact.stage}: {fact.reason}",
        kind=trouble_kind(fact),
        detail=fact.detail,
        shape="",
        agent_version="",
        signature="absent",
        findings=(),
    )
