"""What a card's text hides, compared with what it hid when the lock was pinned."""

from collections.abc import Iterable, Iterator

from cardtrail.services.verdict.view import View


def grown(view: View, kinds: Iterable[str]) -> Iterator[tuple[str, int, int, str]]:
    """(kind, count before, count now, path of the first) of each kind that has become more.

    Counts and not places are compared: a path holds list indices, and a card that only moved its skills is no change.
    """
    old, now = view.baseline.identity, view.observed.identity
    if old is None or now is None:
        return
    for kind in kinds:
        before = sum(finding.count for finding in old.text_findings if finding.kind == kind)
        found = [finding for finding in now.text_findings if finding.kind == kind]
        after = sum(finding.count for finding in found)
        if after > before:
            yield kind, before, after, found[0].path
