"""ProfileCompiled: the effective profile and the identity beside it, told when either digest or usability changes."""

from typing import Literal
from uuid import UUID

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.profile import Identity, Profile


class ProfileCompiled(AgentEvent):
    """Rests on the CardFetched `card` (its stream sequence `card_sequence`); also told once after each new pin.

    `cause` says what brought it: the card, a newer compiler, other client capabilities, or a pin that asked. Digests are
    `sha256:` + 64 hex over canonical JSON, provenance left out.
    """

    kind = "profile-compiled"
    card: UUID
    card_sequence: int
    card_digest: str
    profile: Profile
    profile_digest: str
    identity: Identity
    identity_digest: str
    texts_digest: str = ""
    compiler_version: str
    client_digest: str
    cause: Literal["card", "compiler", "client", "pin"] = "card"
