"""What memory adds to an observation: signatures that were lost, keys that are new, old signed cards that come back. Pure."""

from cardtrail.events.card_fetched import CardFetched
from cardtrail.services.card.trust import Sighting, TrustState, compare, remember


def compared(fact: CardFetched, before: TrustState) -> CardFetched:
    """A full observation with the findings that only memory gives; one that it already carries is not given twice."""
    held = {finding.code for finding in fact.findings}
    found = tuple(finding for finding in compare(before, _sighting(fact)) if finding.code not in held)
    return fact.model_copy(update={"findings": (*found, *fact.findings)}) if found else fact


def trusted(before: TrustState, fact: CardFetched) -> TrustState:
    """The memory of an origin once a full observation stands in the log."""
    return remember(before, _sighting(fact))


def _sighting(fact: CardFetched) -> Sighting:
    return Sighting(
        signature=fact.signature,
        semantic_digest=fact.semantic_digest,
        signatures_digest=fact.signatures_digest,
        version=fact.agent_version,
    )
