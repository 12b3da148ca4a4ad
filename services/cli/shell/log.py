"""What services write to standard error: lines for people, or one JSON object a line for a collector of logs."""

import json
import logging
from datetime import UTC, datetime

import click

from cardtrail.events.fact import instant
from cardtrail.services.cli.shell.command import OneOf
from cardtrail.services.cli.shell.failure import told
from cardtrail.services.cli.shell.text import plain

log_option = click.option(
    "--log", "log_format", type=OneOf(["text", "json"]), default="text", help="Log lines as text, or JSON Lines."
)
_LONGEST = 2_000
VARIABLE = "CARDTRAIL_LOG"
"""The same as a variable, which children inherit."""


def begin(service: str, level: int, log_format: str) -> None:
    """Write what is logged from now on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(service) if log_format == "json" else Lines(service))
    logging.basicConfig(level=level, handlers=[handler])


class Lines(logging.Formatter):
    """A record as one line for people; after a defect it says what and where, and that JSON Lines hold the trace."""

    def __init__(self, service: str) -> None:
        """Every line names the service."""
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever is said in it."""
        error = record.exc_info[1] if record.exc_info else None
        trouble = f": {told(error).message} (--log json: the trace)" if isinstance(error, Exception) else ""
        said = plain(record.getMessage() + trouble, _LONGEST)
        return f"{self.formatTime(record)} {self._service} {record.levelname} {said}"


class JsonLines(logging.Formatter):
    """A record as one line of ASCII: `time` (RFC 3339 UTC), `level`, `service`, `logger`, `message`; `trace` after a defect."""

    def __init__(self, service: str) -> None:
        """Every line names the service."""
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """One JSON object: nothing in a message can begin a second line, or reach a terminal as a control character."""
        said = {
            "time": instant(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(said)
