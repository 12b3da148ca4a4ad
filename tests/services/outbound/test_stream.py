"""Server-sent events under caps, however they are cut into pieces and however they end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.outbound.call import Refusal
from cardtrail.services.outbound.stream import Events


class Body:
    """An answer whose pieces the test gives; `refusal` is what the door would say at their end."""

    def __init__(self, pieces: list[bytes], refusal: Refusal | None = None) -> None:
        self.refusal, self._pieces = refusal, pieces
        self.read = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.read += len(piece)
            yield piece


def events(body: Body, room: int = 1_000) -> tuple[list[str], str]:
    """The data of each event, and why reading ended early."""

    async def run() -> tuple[list[str], str]:
        stream = Events(body, room)
        async with aclosing(stream.__aiter__()) as coming:
            return [event.data async for event in coming], stream.cut

    return asyncio.run(run())


WHOLE = (
    b"\xef\xbb\xbf: keep-alive\r\n\r\nid: 1\r\ndata: one\r\n\r\n"
    b'retry: 5\n\ndata: two\ndata: more\n\nevent: error\rdata: {"x":"\xc3\xa4"}\r\r'
)


def test_events_are_read_in_every_line_ending_and_comments_are_none() -> None:
    assert events(Body([WHOLE])) == (["one", "two\nmore", '{"x":"ä"}'], "")


@given(st.lists(st.integers(0, len(WHOLE)), max_size=12))
def test_it_does_not_matter_where_the_pieces_are_cut(cuts: list[int]) -> None:
    data, places = WHOLE, sorted({0, *cuts, len(WHOLE)})
    pieces = [data[a:b] for a, b in pairwise(places)]
    assert events(Body([piece for piece in pieces if piece])) == events(Body([data]))


@pytest.mark.parametrize("start", [b"data: ", b": ", b"event: "])
def test_an_event_without_end_is_cut_before_it_fills_the_memory(start: bytes) -> None:
    body = Body([start, *[b"x" * 100] * 1_000])
    found, why = events(body)
    assert (found, why) == ([], "event-too-large")
    assert body.read <= 1_200


def test_many_small_events_are_no_large_one() -> None:
    found, why = events(Body([b"data: " + b"x" * 90 + b"\n\n"] * 200))
    assert (len(found), why) == (200, "")


def test_an_answer_that_the_door_cut_short_says_so() -> None:
    refusal = Refusal("fetch", "total-timeout")
    assert events(Body([b"data: one\n\ndata: tw"], refusal)) == (["one"], "total-timeout")


def test_bytes_that_are_no_text_are_no_failure() -> None:
    assert events(Body([b"data: \xff\xfe\n\n"]))[1] == ""
