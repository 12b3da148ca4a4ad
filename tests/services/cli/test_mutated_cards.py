"""Cards damaged at random, through every offline command: an answer or a refusal, never a defect; none differs from itself."""

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.card.cards import FULL, MINIMAL, V01, V03
from tests.services.cli.cards import written
from tests.services.cli.program import cardtrail

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, "", "x", "true", "\u202e", "9" * 40, "https://127.0.0.1/"),
    *([], {}, [None], {"a": 1}, ["text/plain"], {"schemes": {"s": {"list": ["a"]}}}),
]
ANSWERS = {0, 1, 3}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*at, key)
        yield from places(item, (*at, key))


def damaged(card: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The card with up to four members taken out, replaced or copied elsewhere."""
    card = copy.deepcopy(card)
    for _ in range(chance.randint(1, 4)):
        *way, last = chance.choice(list(places(card)) or [("x",)])
        holder: Any = card
        for key in way:
            holder = holder[key]
        what = chance.random()
        if what < 0.3 and last != "x":
            del holder[last]
        elif what < 0.8 or isinstance(holder, list) or last not in holder:
            holder[last] = copy.deepcopy(chance.choice(VALUES))
        else:
            holder[chance.choice(list(holder))] = copy.deepcopy(holder[last])
    return card


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("whole", [FULL, MINIMAL, V01, V03], ids=["full", "minimal", "0.1", "0.3"])
def test_no_command_falls_over_a_damaged_card(whole: dict[str, Any], seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lock = tmp_path / "w.lock.json"
    for _ in range(4):
        old = written(tmp_path / "old.json", damaged(whole, chance))
        new = written(tmp_path / "new.json", damaged(whole, chance))
        for words in (("lint", new), ("compile", new), ("diff", old, new), ("diff", new, old)):
            assert cardtrail(*words, "--json").code in ANSWERS
        if cardtrail("pin", old, "--workflow", "w", "--everything", "-o", lock, "--json").code != 0:
            continue
        assert cardtrail("check", lock, new, "--json").code in ANSWERS
        assert cardtrail("pin", new, "--update", lock, "--json").code in ANSWERS
        itself = cardtrail("check", lock, old, "--json").json
        assert (itself["verdict"], [one["rule"] for one in itself["findings"]]) == ("compatible", [])
        same = cardtrail("diff", old, old, "--json").json
        assert (same["verdict"], same["findings"], same["lint"]) == ("compatible", [], [])
