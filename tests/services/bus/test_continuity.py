"""Laws of the two sequences: whatever is lost, repeated or left out by a filter, a gap is seen and nothing is taken twice."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.bus.continuity import Continuity

STREAM = st.lists(st.integers(1, 400), min_size=1, max_size=40, unique=True).map(sorted)


@given(STREAM)
def test_everything_delivered_in_order_is_new_although_sequences_jump(sequences: list[int]) -> None:
    flow = Continuity(0)
    assert [flow.admit(delivery, sequence) for delivery, sequence in enumerate(sequences, 1)] == [True] * len(sequences)


@given(STREAM, st.data())
def test_one_lost_delivery_is_seen_at_the_next_or_at_the_next_heartbeat(
    sequences: list[int], data: st.DataObject
) -> None:
    lost = data.draw(st.integers(1, len(sequences)))
    flow = Continuity(0)
    said = [flow.admit(delivery, sequence) for delivery, sequence in enumerate(sequences, 1) if delivery != lost]
    assert (None in said) or not flow.agrees(len(sequences))


@given(STREAM, st.data())
def test_redelivered_facts_are_old_and_do_not_look_like_a_gap(sequences: list[int], data: st.DataObject) -> None:
    again = data.draw(st.lists(st.sampled_from(sequences), max_size=10))
    flow = Continuity(0)
    said = [flow.admit(delivery, sequence) for delivery, sequence in enumerate([*sequences, *again], 1)]
    assert said == [True] * len(sequences) + [False] * len(again)
    assert flow.agrees(len(said))


@given(STREAM, st.integers(0, 400))
def test_what_the_store_has_is_never_new(sequences: list[int], position: int) -> None:
    flow = Continuity(position)
    said = [flow.admit(delivery, sequence) for delivery, sequence in enumerate(sequences, 1)]
    assert said == [sequence > position for sequence in sequences]
