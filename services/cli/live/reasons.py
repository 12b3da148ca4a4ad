"""Why a lock stops or doubts a candidate, for a person who asked about one skill of it: the lock is judged as a whole."""

from collections.abc import Iterator

from cardtrail.projections.projection import Row
from cardtrail.services.planner.permission import Reason


def detailed(reason: Reason, row: Row | None, skill: str, held: str) -> Reason:
    """The same reason; `row` is of `lockfile_status`, `skill` the candidate's own id, `held` what `card-flapping` has to say."""
    if reason.code not in {"stopped", "review"} or row is None:
        return reason
    told = ", ".join(dict.fromkeys(_about(row, skill))) or reason.detail
    return reason.model_copy(update={"detail": f"{told}, {held}" if held else told})


def _about(row: Row, skill: str) -> Iterator[str]:
    """`input-mode-removed`, and of what where that is not the skill that was asked about."""
    skills = row["requires"]["skills"]
    for finding in row["findings"]:
        if finding["severity"] != row["verdict"]:
            continue
        named = [one for one in skills if f"{finding['subject']}.".startswith(f"skills[{one}].")]
        if skill in named or len(skills) < 2:  # noqa: PLR2004 — with one skill there is nothing to tell apart
            yield finding["rule"]
        else:
            yield f"{finding['rule']} ({f'skill {named[0]}' if named else 'the whole lock'})"
