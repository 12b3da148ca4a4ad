"""`cardtrail scan --json`."""

from typing import Literal

from cardtrail.events.agent_tracked import Target
from cardtrail.events.card_fetched import SignatureOutcome
from cardtrail.events.model.value import Value
from cardtrail.projections.trouble import TroubleKind
from cardtrail.services.fetcher.candidate import EntryRefused


class CardSeen(Value):
    """What a look at an entry's card came to: `refused` is "" for a card that can be used, else stage and reason."""

    refused: str
    kind: TroubleKind | None
    detail: str
    shape: str
    agent_version: str
    signature: SignatureOutcome
    findings: tuple[str, ...]


class ScannedAgent(Value):
    """An entry as the agent that it would become, for one principal; `card` null unless the cards were looked at."""

    agent: str
    principal: str
    target: Target
    interval_s: int
    metadata: dict[str, str]
    card: CardSeen | None


class ScanOutput(Value):
    """`cardtrail scan REGISTRY --json`: only of a `complete` walk is what is not in it gone; `problem` says why it is not."""

    format: Literal["cardtrail.scan/1"]
    at: str
    registry: str
    kind: str
    place: str
    complete: bool
    problem: str
    entries: int
    agents: tuple[ScannedAgent, ...]
    refused: tuple[EntryRefused, ...]


OUTPUTS: tuple[type[Value], ...] = (ScanOutput,)
