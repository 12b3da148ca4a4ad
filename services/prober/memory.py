"""What the prober remembers of an agent as one principal sees it, one frozen value per row; nothing here decides anything."""

from uuid import UUID

from pydantic import AwareDatetime

from cardtrail.events.model.evidence import Claim, Outcome
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.profile import Profile
from cardtrail.events.model.value import Value


class Subject(Value):
    """Whom to ask and how: the profile in force, the host that the card comes from, the credential by its name."""

    profile: Profile | None = None
    profile_digest: str = ""
    card_digest: str = ""
    home: str = ""
    endpoints: EndpointPolicy = EndpointPolicy()
    credential: str = ""


class Check(Value):
    """One probe of one claim: wanted from `due` on; `last` attempt with its outcome, `fruitless` attempts in a row.

    `started` is the first ProbeStarted of an attempt under way, `started_at` the newest; `asked`: wanted once, though no lock
    needs the claim.
    """

    probe: str
    claim: Claim
    due: AwareDatetime
    last: AwareDatetime | None = None
    outcome: Outcome | None = None
    fruitless: int = 0
    started: UUID | None = None
    started_at: AwareDatetime | None = None
    asked: bool = False

    def is_of(self, probe: str, claim: Claim) -> bool:
        """Whether this is that test."""
        return self.probe == probe and self.claim == claim


class Checks(Value):
    """All tests of an agent; `spent` are the requests of the last day that ran messages, `through` the last one's sequence.

    `turn` counts records: two tests that are due at the same instant are two jobs.
    """

    entries: tuple[Check, ...] = ()
    spent: tuple[AwareDatetime, ...] = ()
    through: int = 0
    turn: int = 0


class Needs(Value):
    """What one lock needs, by the name under which it means an agent: its own and its candidates'."""

    claims: dict[str, tuple[Claim, ...]] = {}


class Wanted(Value):
    """One claim and how many locks need it."""

    claim: Claim
    locks: int


class Demand(Value):
    """What all locks together need of the agent behind one name."""

    entries: tuple[Wanted, ...] = ()
