"""What happened to a card's signature since the lock was pinned; nothing is verified here."""

from collections.abc import Set as AbstractSet

from cardtrail.events.model.profile import Identity
from cardtrail.services.verdict.view import View


def demanded(view: View) -> str:
    """What is wrong with the signature that the lock demands, "" where all is well or none is demanded."""
    signer, now = view.lock.signer, view.observed.identity
    if not signer.required:
        return ""
    if _refused(view) is not None:
        return "the signature does not fit the card"
    if now is None:
        return ""
    if now.signature != "verified":
        return {"absent": "the card is not signed", "unverifiable": "the signature cannot be verified"}.get(
            now.signature, "the signature does not fit the card"
        )
    return "" if not signer.kids or is_listed(view) else f"signed by {named(now)}, which the lock does not list"


def is_listed(view: View) -> bool:
    """Whether a good signature was made with a key that the lock lists, by key id or thumbprint."""
    now = view.observed.identity
    return now is not None and not {*keys(now), *keys(now).values()}.isdisjoint(view.lock.signer.kids)


def keys(identity: Identity) -> dict[str, str]:
    """Thumbprint → key id of the keys behind the good signatures; facts of before name one key, without its id."""
    return identity.signers or ({identity.signer: ""} if identity.signer else {})


def named(identity: Identity) -> str:
    """The keys for people: key id and thumbprint."""
    return ", ".join(f"{kid} ({thumbprint})" if kid else thumbprint for thumbprint, kid in keys(identity).items())


def invalid(view: View) -> str | None:
    """Details of a signature that does not fit, None where there is no such thing or the lock demands one anyway."""
    return None if view.lock.signer.required else _refused(view)


def went(view: View, before: AbstractSet[str], after: AbstractSet[str]) -> bool:
    """Whether the signature's standing went from one of `before` to one of `after`, and the lock has no complaint of its own."""
    old, now = view.baseline.identity, view.observed.identity
    if old is None or now is None or demanded(view):
        return False
    return old.signature in before and now.signature in after


def _refused(view: View) -> str | None:
    trouble, now, old = view.observed.trouble, view.observed.identity, view.baseline.identity
    if trouble is not None and trouble.kind == "signature":
        return trouble.detail or trouble.reason
    fresh = now is not None and now.signature == "invalid" and (old is None or old.signature != "invalid")
    return "" if fresh else None
