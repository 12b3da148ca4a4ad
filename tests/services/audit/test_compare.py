"""Two states of knowledge side by side: what differs is told once, and equal ones tell nothing."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.model.profile import Identity, Profile
from cardtrail.services.audit.compare import Known, differences
from tests.projections.facts import profile

MODES = st.sets(st.sampled_from(("a/json", "text/plain", "a/pdf"))).map(lambda modes: tuple(sorted(modes)))
PROFILES = st.builds(
    lambda streaming, skills: profile(streaming=streaming, **skills),
    st.booleans(),
    st.dictionaries(st.sampled_from(("quote", "refund")), MODES, min_size=1),
)


def known(value: Profile | None, **locks: str) -> Known:
    return Known(value, Identity(version="1"), locks, {"watched": "yes"})


@given(PROFILES)
def test_a_state_does_not_differ_from_itself(value: Profile) -> None:
    assert list(differences(known(value, trip="review"), known(value, trip="review"))) == []


@given(PROFILES, PROFILES)
def test_swapped_sides_tell_the_same_the_other_way_round(one: Profile, other: Profile) -> None:
    forth = [(each.name, each.before, each.after) for each in differences(known(one), known(other))]
    back = [(each.name, each.after, each.before) for each in differences(known(other), known(one))]
    assert forth == back
    assert {name for name, _, _ in forth} >= ({"streaming"} if one.streaming != other.streaming else set())


def test_locks_and_watching_stand_behind_capabilities() -> None:
    before = known(profile(streaming=True), trip="compatible, allow")
    after = Known(profile(streaming=False), Identity(version="1"), {"trip": "breaking, stop"}, {"watched": "no"})
    told = [(each.kind, each.name, each.before, each.after) for each in differences(before, after)]
    assert told == [
        ("capability", "streaming", True, False),
        ("lock", "trip", "compatible, allow", "breaking, stop"),
        ("watch", "watched", "yes", "no"),
    ]


def test_what_is_not_known_on_one_side_is_null_there() -> None:
    told = {each.name: (each.before, each.after) for each in differences(known(None), known(profile()))}
    assert told["streaming"] == (None, True)
