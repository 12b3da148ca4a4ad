"""`cardtrail show --json`."""

from typing import Any, Literal

from cardtrail.events.agent_tracked import Target
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.profile import Identity, Profile
from cardtrail.events.model.value import Value
from cardtrail.services.audit.blame import Held
from cardtrail.services.audit.compare import Changed
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.status import Heard, LockStanding


class ShowOutput(Value):
    """`cardtrail show AGENT --json`: what is known of one agent as one principal sees it, now or as of an instant.

    `through` is the sequence it stands for. `freshness`, `evidence` and `calls` are the rows of the projection of that name;
    null or empty where nothing is known. `profile` is the last compiled one; where that cannot be used, `last_good` has the
    digest of the one that could. `findings` are those of the last answer that came in full: about the card, its
    signatures and the way it was had. `stands_in`: where it is the fallback of another agent's lock, without a lock of its own.
    """

    format: Literal["cardtrail.show/1"]
    agent: str
    names: tuple[str, ...]
    principal: str
    at: str
    as_of: str | None
    through: int
    watched: bool
    target: Target | None
    heard: Heard
    freshness: dict[str, Any] | None
    profile: Profile | None
    profile_digest: str
    last_good: str
    compiled_at: str | None
    identity: Identity | None
    findings: tuple[Diagnostic, ...]
    evidence: tuple[dict[str, Any], ...]
    calls: dict[str, Any]
    locks: tuple[LockStanding, ...]
    stands_in: tuple[StandIn, ...] = ()


class ShownSide(Value):
    """One of two states that are compared: as whom, as of when (null = now), up to which sequence."""

    principal: str
    as_of: str | None
    through: int
    profile_digest: str
    version: str


class ComparedOutput(Value):
    """`cardtrail show AGENT --against T --json`: what differs from `before` to `after`; nothing where they are the same."""

    format: Literal["cardtrail.show-against/1"]
    agent: str
    before: ShownSide
    after: ShownSide
    changes: tuple[Changed, ...]


class Was(Value):
    """A capability at an instant: the value that held; two, the older first, where nobody knows which of them did."""

    capability: str
    values: tuple[Held, ...]


class WasOutput(Value):
    """`cardtrail show AGENT --was T --json`: what the agent was at `was`, by what is known now or was known at `as_of`.

    `through` is the last sequence read; `known_from` above 1: the log begins there. A capability of which nothing is known at
    that time is left out.
    """

    format: Literal["cardtrail.show-was/1"]
    agent: str
    principal: str
    was: str
    as_of: str | None
    through: int
    known_from: int
    capabilities: tuple[Was, ...]


OUTPUTS: tuple[type[Value], ...] = (ShowOutput, ComparedOutput, WasOutput)
