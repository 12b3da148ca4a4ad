"""Telling a fact only if nothing was told before it: how several workers spend one budget."""

from cardtrail.events import Fact
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerRefused

_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_WRONG_LAST_SEQUENCE = ("(10071)", "(10164)")


async def tell_first(bus: Bus, fact: Fact, subjects: str, after: int) -> int | None:
    """The fact's sequence, or None where a fact under `subjects` stands behind sequence `after` already; nothing was told then.

    An answer lost on the way reads as None too, although the fact may be stored.

    Raises:
        TooLarge, LogFull, BrokerUnreachable: as `Bus.tell`.
    """
    message = bus.message(fact)
    headers = {**message.headers, _EXPECTED: str(after), f"{_EXPECTED}-Subject": subjects}
    try:
        (sequence,) = await bus.publish([message.model_copy(update={"headers": headers})])
    except BrokerRefused as refusal:
        if refusal.message.endswith(_WRONG_LAST_SEQUENCE):
            return None
        raise
    return sequence
