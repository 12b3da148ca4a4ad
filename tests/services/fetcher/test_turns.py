"""Looks at one host begin a gap apart, however many jobs have piled up; other hosts never wait for it."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.fetcher.turns import LONGEST_WAIT_S, Turns

STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 2)), max_size=60)


@given(STEPS)
def test_two_looks_at_a_host_are_never_closer_than_the_gap(steps: list[tuple[str, float]]) -> None:
    turns, now, begun = Turns(0.25), 100.0, dict[str, float]()
    for host, later in steps:
        now += later / 10
        wait = turns.wait_s(host, now)
        if wait <= LONGEST_WAIT_S:
            begins = now + wait
            assert begins >= begun.get(host, 0.0) + 0.25 - 1e-9
            begun[host] = begins


def test_who_would_wait_long_is_sent_away_and_takes_no_turn() -> None:
    turns = Turns(0.25)
    waits = [turns.wait_s("a", 0.0) for _ in range(20)]
    assert waits[:5] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert set(waits[5:]) == {1.25}
    assert turns.wait_s("b", 0.0) == 0.0
    assert [turns.wait_s("-", 0.0) for _ in range(9)] == [0.0] * 9
    assert turns.wait_s("a", 1.25) == 0.0
