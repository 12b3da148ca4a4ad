"""What a capability was at an instant, by what is known: as it was, where `as_of` elsewhere says as it was known. Pure.

Between the last sight of a value and the first of the next nobody looked: there either may have held.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from cardtrail.services.audit.blame import Held


def was(values: Sequence[Held], at: datetime) -> tuple[Held, ...]:
    """The value that held at an instant; two, the older first, where the one gave way to the other somewhere around it.

    `values` are those of one capability, oldest first. None before the first was seen: nothing is known of that time.
    """
    return tuple(_possible(values, at))


def _possible(values: Sequence[Held], at: datetime) -> Iterator[Held]:
    for one, following in pairwise([*values, None]):
        if one is None:
            continue
        begun = datetime.fromisoformat(one.first_seen)
        may_have_begun = one is not values[0] and _before(one.after, at)
        is_over = following is not None and datetime.fromisoformat(following.first_seen) <= at
        if (begun <= at or may_have_begun) and not is_over:
            yield one


def _before(after: str | None, at: datetime) -> bool:
    return after is not None and datetime.fromisoformat(after) < at
