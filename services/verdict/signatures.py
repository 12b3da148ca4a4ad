"""What happened to a card's signature since the lock was pinned; nothing is verified here."""

from collections.abc import Set as AbstractSet

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
    return (
        f"signed by {now.signer}, which the lock does not list" if signer.kids and now.signer not in signer.kids else ""
    )


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
