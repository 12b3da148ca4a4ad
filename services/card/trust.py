"""Trust on first use: what a card's signatures say against what this origin showed before.

A good signature proves neither time nor place: an older signed card, a lost signature or a new key is seen by who remembers. All
that is remembered comes from facts on the log, so that a replay remembers the same.
"""

from collections.abc import Iterator

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.value import Value
from cardtrail.services.card.catalogue import diagnostic
from cardtrail.services.card.keys import KeySet
from cardtrail.services.card.paths import shown

MAX_SEEN = 64


class Sighting(Value):
    """One observation of a card, as a fact has it: outcome, digests of content and of the signature set, the agent's version."""

    signature: SignatureSummary
    semantic_digest: str
    signatures_digest: str = ""
    version: str = ""


class TrustState(Value):
    """What is remembered of one origin; empty before the first verified signature.

    `signers` maps kid to thumbprint; `seen` holds semantic digests of verified cards, the latest last, 64 at most; the rest is
    of the last card that verified.
    """

    signers: dict[str, str] = {}
    seen: tuple[str, ...] = ()
    signatures_digest: str = ""
    version: str = ""


def compare(before: TrustState, sighting: Sighting, keys: KeySet | None = None) -> tuple[Diagnostic, ...]:
    """What has changed about the signatures since `before`; silent until the origin has once shown a good signature.

    `keys` are those held now, to notice a kid that passed to another key.
    """
    if not before.seen:
        return ()
    moved = tuple(_moved_kids(before, sighting, keys or KeySet()))
    if sighting.signature.outcome != "verified":
        code = "CT207" if sighting.signature.outcome == "absent" else "CT213"
        return (diagnostic(code, "$.signatures", outcome=sighting.signature.outcome), *moved)
    return (*moved, *_new_signer(before, sighting), *_content_changes(before, sighting))


def remember(before: TrustState, sighting: Sighting) -> TrustState:
    """The state after a card; only a verified one changes it, so that an attacker's card is never remembered as good."""
    signature = sighting.signature
    if signature.outcome != "verified":
        return before
    named = {signature.kid: signature.signer} if signature.kid and signature.signer else {}
    seen = tuple(digest for digest in before.seen if digest != sighting.semantic_digest)
    return TrustState(
        signers=before.signers | named,
        seen=(*seen, sighting.semantic_digest)[-MAX_SEEN:],
        signatures_digest=sighting.signatures_digest,
        version=sighting.version[:128],
    )


def _moved_kids(before: TrustState, sighting: Sighting, keys: KeySet) -> Iterator[Diagnostic]:
    named = {key.kid: key.thumbprint for key in keys.keys if key.kid}
    if sighting.signature.kid and sighting.signature.signer:
        named[sighting.signature.kid] = sighting.signature.signer
    for kid, thumbprint in before.signers.items():
        if named.get(kid, thumbprint) != thumbprint:
            yield diagnostic("CT209", "$.signatures", kid=shown(kid))


def _new_signer(before: TrustState, sighting: Sighting) -> Iterator[Diagnostic]:
    if sighting.signature.signer not in before.signers.values():
        yield diagnostic("CT208", "$.signatures", kid=shown(sighting.signature.kid))


def _content_changes(before: TrustState, sighting: Sighting) -> Iterator[Diagnostic]:
    if sighting.semantic_digest == before.seen[-1]:
        return
    if sighting.signatures_digest and sighting.signatures_digest == before.signatures_digest:
        yield diagnostic("CT212", "$.signatures", form=sighting.signature.form)
    elif sighting.semantic_digest in before.seen:
        yield diagnostic("CT210", "$.signatures")
    elif _went_back(before.version, sighting.version[:128]):
        yield diagnostic("CT211", "$.version", old=shown(before.version), new=shown(sighting.version[:128]))


def _went_back(old: str, new: str) -> bool:
    """Whether dotted numbers went down; anything else cannot be compared."""
    pairs = [[int(part) for part in text.split(".") if part.isascii() and part.isdigit()] for text in (old, new)]
    readable = all(len(numbers) == text.count(".") + 1 for numbers, text in zip(pairs, (old, new), strict=True))
    return readable and pairs[1] < pairs[0]
