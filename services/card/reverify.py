"""A known outcome judged again today: keys expire and are revoked while a card stays the same and its server answers 304."""

from datetime import datetime

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.services.card.keys import KeySet


def reverify(known: SignatureSummary, keys: KeySet, now: datetime) -> SignatureSummary:
    """The summary as it stands with the keys held now; only a verified one can lose, and only to `unverifiable`.

    A card that could not be verified yesterday needs its body and `verify`: new keys may have come.
    """
    if known.outcome != "verified":
        return known
    good = {key.thumbprint for key in keys.keys if not key.trouble(now)}
    if known.signer in good:
        return known.model_copy(update={"signers": {one: kid for one, kid in known.signers.items() if one in good}})
    held = [key for key in keys.keys if key.thumbprint == known.signer]
    reason = held[0].trouble(now) if held else "unknown-kid"
    return known.model_copy(update={"outcome": "unverifiable", "reason": reason, "signer": None, "signers": {}})
