"""Nothing missing, nothing twice: the two sequences of a consumer, checked message by message. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Continuity:
    """A consumer counts its deliveries from 1 after each (re)start; a jump is a lost message.

    Stream sequences may jump, because a filter leaves others out and messages may have been deleted.
    """

    after: int
    delivered: int = 0

    def admit(self, delivery: int, sequence: int) -> bool | None:
        """True = new, False = seen before (a redelivery), None = something in between is missing."""
        if delivery != self.delivered + 1:
            return None
        self.delivered = delivery
        if sequence <= self.after:
            return False
        self.after = sequence
        return True

    def agrees(self, last_delivery: int) -> bool:
        """Whether the broker has sent exactly what has arrived (`Nats-Last-Consumer` of a heartbeat): less is a reset."""
        return last_delivery == self.delivered
