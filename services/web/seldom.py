"""What any visitor can have the HTTP server say, in its log: once, then seldom and with the count."""

import logging

from cardtrail.services.bus.retried import AGAIN_S

_MOST = 100


class Seldom(logging.Filter):
    """Lets a warning through once, and the same again after `again_s` seconds at most, with how often it came; errors always."""

    def __init__(self, *, again_s: float = AGAIN_S) -> None:
        """Nothing was said."""
        super().__init__()
        self._again_s = again_s
        self._said: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is written; see `logging.Filter`."""
        if record.levelno > logging.WARNING or record.exc_info:
            return True
        text, now = record.getMessage(), record.created
        if len(self._said) >= _MOST and text not in self._said:
            self._said.clear()
        since, count = self._said.setdefault(text, (now, 0))
        if count and now - since < self._again_s:
            self._said[text] = since, count + 1
            return False
        self._said[text] = now, 1
        if count > 1:
            record.msg, record.args = f"{text} ({count} times within {now - since:.0f} s)", ()
        return True
