"""What a look needs to know of the looks before it: a fold over the facts of one agent as one principal sees it. Pure."""

from datetime import timedelta

from pydantic import AwareDatetime

from cardtrail.events.card_fetched import CardFetched, Freshness, Validators
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Key
from cardtrail.services.card.trust import TrustState
from cardtrail.services.fetcher.freshness import fresher
from cardtrail.services.fetcher.remembered import trusted

DOUBT_S = 7 * 86_400
LIED = "CT102"
_NOT_MODIFIED = 304


def memory_key(agent: str, principal: str, *, extended: bool = False) -> Key:
    """Where the memory of a card stands: a principal's extended card has one of its own while it is in force."""
    return (agent, principal, "extended") if extended else (agent, principal)


class Memory(Value):
    """`full` is the last full observation, `sequence` where it stands in the log.

    `validators` and `freshness` are the newest held. `full_at`: when a whole body was last had. `doubted_until`: the server has
    denied a change, so until then its 304 counts for nothing. `verified` names the body that verified last, `trust` is what the
    signatures have shown so far. JSON, so that any store can keep it.
    """

    full: CardFetched | None = None
    sequence: int | None = None
    validators: Validators = Validators()
    freshness: Freshness = Freshness()
    full_at: AwareDatetime | None = None
    doubted_until: AwareDatetime | None = None
    verified: str = ""
    trust: TrustState = TrustState()

    def after(self, fact: CardFetched | CardRefused, sequence: int, at: AwareDatetime) -> "Memory":
        """The memory once `fact`, observed `at`, stands in the log under `sequence`; a refusal changes nothing."""
        if isinstance(fact, CardRefused):
            return self
        changes: dict[str, object] = {}
        if fact.same_as is None:
            changes |= {
                "full": fact.model_copy(update={"aside": False}),
                "sequence": sequence,
                "validators": fact.validators,
                "freshness": fact.freshness,
            }
            changes["trust"] = trusted(self.trust, fact)
            if fact.signature.outcome == "verified":
                changes["verified"] = fact.raw_digest
        else:
            changes["validators"] = fact.validators if fact.validators != Validators() else self.validators
            changes["freshness"] = fresher(self.freshness, fact.freshness)
        if fact.status != _NOT_MODIFIED:
            changes["full_at"] = at
        if any(finding.code == LIED for finding in fact.findings):
            changes["doubted_until"] = at + timedelta(seconds=DOUBT_S)
        elif self.doubted_until is not None and at >= self.doubted_until:
            changes["doubted_until"] = None
        return self.model_copy(update=changes)
