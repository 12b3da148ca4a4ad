"""Numbers that an agent or a planner chose: none is too large to be kept, and none makes a view fail for all."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import Event, Stored, encode
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.views import VIEWS
from tests.projections.every_kind import one_of_each
from tests.projections.test_store_reader import filled

LARGE = (2**31, 2**40, 2**62, -(2**40))
_OURS = {"card_sequence", "considered_through", "size", "through", "same_as"}
"""Places in the log: nobody else chooses them."""


def with_large(number: int) -> Iterator[Stored]:
    """One fact of each kind, every whole number of others in it as large as that."""
    for stored in one_of_each():
        event = stored.fact.data
        fact = stored.fact.model_copy(update={"data": event.model_copy(update=dict(_numbers(event, number)))})
        yield stored.model_copy(update={"fact": fact, "raw": encode(fact)})


def _numbers(event: Event, number: int) -> Iterator[tuple[str, Any]]:
    for name, field in type(event).model_fields.items():
        if name not in _OURS and field.annotation in {int, int | None}:
            yield name, number


@pytest.mark.parametrize("number", LARGE)
def test_every_view_answers_whatever_numbers_others_chose(number: int, tmp_path: Path) -> None:
    facts = list(with_large(number))
    assert any("code" in dict(_numbers(one.fact.data, 1)) for one in facts)
    with Reader(asyncio.run(filled(tmp_path, facts))) as reader:
        assert reader.query("SELECT count(*) FROM history").rows == ((len(facts),),)
        for view in VIEWS:
            reader.query(f"FROM {view.name}")
