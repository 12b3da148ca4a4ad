"""What a process that lives long tells the garbage collector: its modules are no garbage, and batches of facts come and go."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (100_000, 50, 1_000)
"""At Python's 700 each batch of facts is looked through hundreds of times in vain: decoding takes three times as long."""


@contextmanager
def long_life() -> Iterator[None]:
    """While this lasts, collect seldom and never look at what was there before; as it was, afterwards. May be nested."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    if not frozen:
        gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()
