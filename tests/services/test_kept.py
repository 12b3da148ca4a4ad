"""Values that were parsed are kept for a while, and what agents fill them with is bounded in bytes."""

import gc
from weakref import ref

from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Rows
from cardtrail.services.kept import load, save

MIB = 1 << 20


class Letter(Value):
    text: str


def test_a_value_that_is_read_again_is_not_parsed_again() -> None:
    rows = Rows()
    for name, text in (("short", "x"), ("long", "x" * MIB)):
        save(rows, (name,), Letter(text=text))
        assert load(rows, Letter, (name,)) is load(rows, Letter, (name,))


def test_however_long_the_values_are_few_megabytes_of_them_are_kept() -> None:
    rows, seen = Rows(), list[ref[Letter]]()
    for size, count in ((100, 3_000), (8_000, 3_000), (MIB // 4, 300), (MIB - 100, 40)):
        for number in range(count):
            save(rows, ("one",), Letter(text=f"{number:08}".ljust(size, "x")))
            letter = load(rows, Letter, ("one",))
            assert letter is not None
            seen.append(ref(letter))
            del letter
    gc.collect()
    alive = [len(letter.text) for one in seen if (letter := one()) is not None]
    assert MIB < sum(alive) <= 64 * MIB
