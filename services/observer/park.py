"""Where messages go that are no reports: a file beside the service, bounded, for a person to look at. Never read back by us."""

import base64
import json
import logging
from pathlib import Path

from cardtrail.events.errors import EventRefused
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.card.paths import visible

log = logging.getLogger("cardtrail.observer")
_MOST_BYTES = 16 * 1024 * 1024
_SHOWN = 4_096
_SAID_A_MINUTE = 10


class Park:
    """One line of JSON per message: sequence, subject, code, reason and the first 4 KiB in base64; `count` since the start.

    The log says ten a minute of them: a flood of them may fill neither the file nor the log.
    """

    def __init__(self, path: Path) -> None:
        """Append to `path`; beyond 16 MiB messages are only counted."""
        self._path, self.count = path, 0
        self._minute, self._said = -1, 0

    def keep(self, message: Delivered, refusal: EventRefused) -> None:
        """Set a message aside."""
        self.count += 1
        why, may_say = visible(refusal.message)[:300], self._may_say(int(message.stored_at.timestamp()) // 60)
        if may_say:
            log.warning("report %d on %s is parked: %s: %s", message.sequence, message.subject[:120], refusal.code, why)
        line = {
            "sequence": message.sequence,
            "stored_at": message.stored_at.isoformat(),
            "subject": message.subject,
            "code": refusal.code,
            "reason": why,
            "data": base64.b64encode(message.data[:_SHOWN]).decode(),
        }
        try:
            if not self._path.exists() or self._path.stat().st_size < _MOST_BYTES:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        except OSError as error:
            if may_say:
                log.warning("it could not be written: %s", error.strerror)

    def _may_say(self, minute: int) -> bool:
        if minute != self._minute:
            if self._said > _SAID_A_MINUTE:
                log.warning("%d more reports were parked within a minute: %s", self._said - _SAID_A_MINUTE, self._path)
            self._minute, self._said = minute, 0
        self._said += 1
        return self._said <= _SAID_A_MINUTE
