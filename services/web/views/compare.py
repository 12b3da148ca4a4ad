"""Two points in time, or two principals, side by side: what differs, what is alike and folded. Pure."""

import json
from typing import Any

from cardtrail.events.model.value import Value
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.projections.capabilities import capabilities
from cardtrail.services.card.read import CardReading
from cardtrail.services.verdict.structure import compare
from cardtrail.services.web.views.spans import order


class Side(Value):
    """What is compared: as whom, as known at (None = now), up to which fact, the profile's and the raw card's fact."""

    principal: str
    at: str | None
    through: int
    profile: int | None
    card: int | None
    version: str
    verdicts: dict[str, str]


class Pair(Value):
    """One capability; `mark` is `~` changed, `+` only right, `-` only left."""

    capability: str
    mark: str
    left: Any
    right: Any


class Member(Value):
    """One member of the raw cards that differs, under its natural key."""

    subject: str
    mark: str
    left: Any
    right: Any


class CompareView(Value):
    """The page; `alike` are capabilities that say the same on both sides, `not_counted` what differs and does not matter."""

    format: str = "cardtrail.page.compare/1"
    agent: str
    principals: tuple[str, ...]
    left: Side
    right: Side
    differing: tuple[Pair, ...]
    alike: tuple[str, ...]
    members: tuple[Member, ...]
    not_counted: tuple[str, ...]
    cards_read: bool


Cards = tuple[CardReading, CardReading]


def compare_view(
    agent: str,
    principals: tuple[str, ...],
    sides: tuple[Side, Side],
    profiles: tuple[ProfileCompiled | None, ProfileCompiled | None],
    cards: Cards | None,
) -> CompareView:
    """Both profiles by capability, both cards by member where their bytes are kept."""
    left, right = (capabilities(one.profile, one.identity) if one else {} for one in profiles)
    names = sorted(left.keys() | right.keys(), key=order)
    structure = compare(*cards) if cards else None
    return CompareView(
        agent=agent,
        principals=principals,
        left=sides[0],
        right=sides[1],
        differing=tuple(
            _pair(name, left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name)
        ),
        alike=tuple(name for name in names if left.get(name) == right.get(name)),
        members=tuple(
            Member(subject=one.subject, mark=one.mark, left=one.before, right=one.after)
            for one in (structure.differences if structure else ())
        ),
        not_counted=structure.not_counted if structure else (),
        cards_read=cards is not None,
    )


def _pair(name: str, left: str | None, right: str | None) -> Pair:
    mark = "+" if left is None else "-" if right is None else "~"
    return Pair(capability=name, mark=mark, left=_value(left), right=_value(right))


def _value(text: str | None) -> Any:  # noqa: ANN401 — a JSON value
    return None if text is None else json.loads(text)
