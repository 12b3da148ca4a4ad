"""What the compiler remembers of one agent as one principal sees it."""

from uuid import UUID

from cardtrail.events.canonical import digest
from cardtrail.events.card_fetched import CardFetched, SignatureSummary
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.value import Value
from cardtrail.services.compiler.compiled import Compiled


class Client(Value):
    """What our side implements, as declared last, and the digest of it; `order` is the millisecond of the declaration."""

    capabilities: ClientCapabilities = ClientCapabilities()
    digest: str = digest(ClientCapabilities().model_dump(mode="json"))
    order: int = 0


class Held(Value):
    """The card as observed last; `refused`: an attempt failed since."""

    raw_digest: str = ""
    signature: SignatureSummary = SignatureSummary()
    refused: bool = False

    def after(self, event: CardFetched) -> "Held":
        """The card after another observation; an equal one that names another signature outcome changes just that."""
        if event.same_as is None:
            return Held(raw_digest=event.raw_digest, signature=event.signature)
        known = event.signature.outcome in ("absent", self.signature.outcome)
        return Held(raw_digest=self.raw_digest, signature=self.signature if known else event.signature)


class Answer(Value):
    """What the card in hand compiles to, and by what: body, signature outcome, client, compiler."""

    compiled: Compiled
    raw_digest: str
    signature: SignatureSummary
    client_digest: str
    compiler_version: str

    def is_of(self, held: Held) -> bool:
        """Whether this is the answer for that card."""
        return (self.raw_digest, self.signature) == (held.raw_digest, held.signature)

    def says_the_same_as(self, other: "Answer") -> bool:
        """Whether neither profile nor identity differ; texts alone are no difference."""
        one, two = self.compiled, other.compiled
        return (one.profile_digest, one.identity_digest) == (two.profile_digest, two.identity_digest)


class Waiting(Value):
    """A lock was pinned under this name and waits for an observation of whoever it names."""

    fact: UUID
