"""What is odd in a lock that was accepted; `CL###` diagnostics, none of them errors.

A lock with `integrity` that was edited is refused; without it, digests that contradict what stands beside them are told here.
"""

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from cardtrail.events.model.finding import Diagnostic, Level
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.card.document import Document
from cardtrail.services.card.paths import member, shown
from cardtrail.services.verdict.lock_oddities import odd_members
from cardtrail.services.verdict.rules import RULES
from cardtrail.services.verdict.view import Baseline, is_checkable

Places = Callable[[str], tuple[int, int]]
_AGAIN = "pin again to have it checked"


def doubts(lock: Lockfile, document: Document) -> Iterator[Diagnostic]:
    """Digests that are missing, cannot be checked or contradict the baseline; what no card can meet as it is written."""
    place = document.place
    if not lock.card_digest:
        said = "there is no card_digest: which card was pinned cannot be checked"
        yield _doubt("CL001", "digest-not-checkable", "$", said, _AGAIN, place)
    for name in ("card_digest", "profile_digest"):
        stated = getattr(lock, name)
        if stated and not is_checkable(stated):
            said = f"{shown(stated)} is not checkable: it is not sha256: and 64 hex digits"
            yield _doubt("CL001", "digest-not-checkable", f"$.{name}", said, _AGAIN, place)
    before = Baseline.model_validate(lock.baseline).profile if lock.baseline else None
    if before and is_checkable(lock.profile_digest) and profile_digest(before) != lock.profile_digest:
        said = (
            "profile_digest is not that of the lock's own baseline: one of them was edited, or another release made it"
        )
        yield _doubt("CL003", "digest-contradicted", "$.profile_digest", said, _AGAIN, place)
    for id_ in lock.severities:
        if id_ not in RULES:
            near = get_close_matches(id_, RULES, n=1)
            hint = f"did you mean {near[0]}?" if near else "cardtrail rules lists them"
            path = member("$.severities", id_)
            yield _doubt("CL002", "rule-unknown", path, f"{shown(id_)} is no rule of this release", hint, place)
    for odd in odd_members(lock):
        yield _doubt("CL005", "member-never-met", odd.path, odd.said, odd.hint, place)


def unexplained(lock: Lockfile, card: str, profile: str, place: Places) -> Iterator[Diagnostic]:
    """Digests that are not those of the card judged, where no finding says what differs.

    `card` and `profile` are the digests of what was judged. The card's own may differ by a space that means nothing; a
    lock with a baseline has its profile's compared with that.
    """
    if not lock.baseline and is_checkable(lock.profile_digest) and profile != lock.profile_digest:
        said = "profile_digest is not this card's, and no finding says why: edited, or pinned for another client or release"
        yield _doubt("CL003", "digest-contradicted", "$.profile_digest", said, _AGAIN, place)
    elif is_checkable(lock.card_digest) and card != lock.card_digest:
        said = "card_digest is not this card's, and nothing that is judged differs: served otherwise, or edited in the lock"
        yield _doubt("CL004", "card-not-the-one-pinned", "$.card_digest", said, _AGAIN, place, "info")


def _doubt(  # noqa: PLR0913, PLR0917 — the members of a diagnostic
    code: str, name: str, path: str, message: str, hint: str, place: Places, level: Level = "warning"
) -> Diagnostic:
    line, column = place(path)
    return Diagnostic(
        code=code, name=name, level=level, path=path, message=message, hint=hint, line=line, column=column
    )
