"""Calls that wait to be reported: bounded, errors kept longest, sealed into reports that keep their id until stored. Pure."""

from collections import deque
from collections.abc import Callable

from cardtrail.events.model.report import Call, Report

BATCH = 50
MOST_CALLS = 8_000
MOST_ERRORS = 2_000
_LIST = 5
_TEXT = 120
_Waiting = tuple[str, str, Call]


class Reports:
    """Takes calls, gives reports. What does not fit is dropped, successes and oldest first, and counted in `dropped`."""

    def __init__(self, workflow: str, principal: str, new_id: Callable[[], str]) -> None:
        """`new_id` gives an id that no other report has."""
        self.workflow, self.principal = workflow, principal
        self.dropped = 0
        self._new_id = new_id
        self._waiting: deque[_Waiting] = deque(maxlen=MOST_CALLS)
        self._failed: deque[_Waiting] = deque(maxlen=MOST_ERRORS)
        self._sealed: Report | None = None

    def add(self, agent: str, profile_digest: str, call: Call) -> bool:
        """Take a call; whether its report should leave now: it failed, or a report is full."""
        queue = self._failed if call.error is not None else self._waiting
        self.dropped += len(queue) == queue.maxlen
        queue.append((agent, profile_digest, _trimmed(call)))
        return call.error is not None or len(self._waiting) >= BATCH

    def next(self) -> Report | None:
        """The report to send: the same one until `stored`; None when nothing waits."""
        if self._sealed is None:
            self._sealed = self._seal()
        return self._sealed

    def stored(self) -> None:
        """The last report given is safe."""
        self._sealed = None

    def __len__(self) -> int:
        """How many calls wait."""
        return len(self._failed) + len(self._waiting) + (len(self._sealed.calls) if self._sealed else 0)

    def _seal(self) -> Report | None:
        first = next(iter(self._failed), None) or next(iter(self._waiting), None)
        if first is None:
            return None
        agent, digest, _ = first
        calls = [*_drawn(self._failed, agent, digest, BATCH)]
        calls += _drawn(self._waiting, agent, digest, BATCH - len(calls))
        return Report(
            id=self._new_id(),
            agent=agent,
            workflow=self.workflow,
            principal=self.principal,
            profile_digest=digest,
            calls=tuple(sorted(calls, key=lambda call: call.at)),
        )


def _drawn(queue: deque[_Waiting], agent: str, digest: str, most: int) -> list[Call]:
    """Up to `most` calls to one agent under one profile, oldest first, taken out of the queue."""
    found: list[Call] = []
    kept: list[_Waiting] = []
    while queue and len(found) < most:
        one = queue.popleft()
        if one[:2] == (agent, digest):
            found.append(one[2])
        else:
            kept.append(one)
    queue.extendleft(reversed(kept))
    return found


def _trimmed(call: Call) -> Call:
    """Lists as long as a report may carry: an agent's answer or a caller's list decides nothing about our size."""
    lists = ("extensions", "sent_modes", "accepted_modes")
    return call.model_copy(update={name: tuple(text[:_TEXT] for text in getattr(call, name)[:_LIST]) for name in lists})
