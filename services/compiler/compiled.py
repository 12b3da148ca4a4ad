"""From the bytes of a card to what it means for a client: profile, identity and their digests."""

from collections.abc import Callable

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Identity, Profile, Reason
from cardtrail.events.model.value import Value
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import identity_digest, profile_digest, texts_digest
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import read_card

LARGEST = 192 * 1024
"""Bytes of profile and identity that an event can carry (its cap is 256 KiB, envelope and headers included)."""


class Compiled(Value):
    """What one body says to one client; digests are `sha256:` + 64 hex."""

    profile: Profile
    profile_digest: str
    identity: Identity
    identity_digest: str
    texts_digest: str


Compile = Callable[[bytes, SignatureSummary, ClientCapabilities], Compiled | None]


def compiled(data: bytes, signature: SignatureSummary, client: ClientCapabilities) -> Compiled | None:
    """Read and compile a body; None where this release refuses it (then the last good profile stays)."""
    card = read_card(data).card
    if card is None:
        return None
    profile, identity = compile_profile(card, client), identify(card, signature)
    fitting = _fitting(profile, LARGEST - _size(identity))
    return Compiled(
        profile=fitting,
        profile_digest=profile_digest(fitting),
        identity=identity,
        identity_digest=identity_digest(identity),
        texts_digest=texts_digest(card),
    )


def _fitting(profile: Profile, room: int) -> Profile:
    """The profile as an event can carry it: without provenance where that is too much, unusable where all of it is."""
    if _size(profile) <= room:
        return profile
    bare = profile.model_copy(update={"provenance": {}})
    size = _size(bare)
    if size <= room:
        return bare
    reason = Reason(code="profile-too-large", detail=f"the profile takes {size} bytes, {room} can be told")
    return Profile(usable=False, shape=profile.shape, reasons=(reason,))


def _size(value: Value) -> int:
    return len(value.model_dump_json(exclude_defaults=True).encode())
