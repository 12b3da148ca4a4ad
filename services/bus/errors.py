"""What can go wrong between us and the broker; all of it stands in the tree of events/errors.py."""

from cardtrail.events.errors import CardtrailError, InputRefused, Unreachable, UsageError

UNSTORED = "is its disk full, or was it? a nats-server of yours writes again only after a restart; see its log"
UNWRITTEN = frozenset((10012, 10047, 10049, 10077, 10104, 10176))
"""JetStream's codes where it could not write: consumer, room, stream, message, consumer's store, a part of a batch."""


class BrokerUnreachable(Unreachable):
    """The broker does not answer, or answered too late (`broker-unreachable`)."""


class BrokerRefused(CardtrailError):
    """The broker understood and will not: permissions, a missing stream, a wrong request (`broker-refused`)."""


class LogFull(CardtrailError):
    """A stream is at its limit; nothing was thrown away and nothing more is taken (`log-full`)."""


class TooLarge(InputRefused):
    """A message that no retry will make small enough (`too-large`)."""


class ReaderTaken(UsageError):
    """Another instance runs this reader; one runs at a time (`reader-taken`)."""


class LogMismatch(CardtrailError):
    """The log is not the one this store was built from.

    `log-begins-later`: it no longer holds what the store still needs; `log-ends-earlier`: the store has seen more.
    """


class StaleWriter(CardtrailError):
    """Somebody else has written this store since; nothing of ours was written (`stale-writer`)."""


class StoreInUse(UsageError):
    """Another process has these files (`store-in-use`)."""


class ServerMissing(UsageError):
    """No nats-server binary is installed (`server-missing`)."""
