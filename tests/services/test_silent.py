"""A service that is there and does not get on is silent to those who wait for it; what they do not wait for is no silence."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.service import Context, silent_s
from cardtrail.services.settings import Settings


@pytest.mark.parametrize(
    ("folds", "failing", "is_silent"),
    [
        (("decider",), "", False),
        (("decider",), "decider", True),
        (("routes/public", "routes/team-b", "duckdb"), "routes/team-b", False),
        (("routes/public", "routes/team-b", "duckdb"), "duckdb", False),
    ],
)
def test_a_fold_that_fails_is_the_silence_of_its_service_unless_it_is_of_one_principal_or_of_nobody(
    folds: tuple[str, ...], failing: str, is_silent: bool, tmp_path: Path
) -> None:
    context = Context("a", Settings(), cast("Bus", None), tmp_path, asyncio.Event())
    for name in folds:
        context.watched(name)
    if failing:
        context.watched(failing).fails("the disk is full")
    assert (silent_s(context) > 0) is is_silent
    if failing:
        context.watched(failing).works()
    assert silent_s(context) == 0
