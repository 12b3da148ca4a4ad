"""The error tree of the product, split by who is at fault; an expected refusal is a fact or a finding, never one of these.

CardtrailError            the log, a store or an outbox does not do its part        exit 4
├── InputRefused          a card, lock, event or signature that cannot be used            exit 3
│   ├── DocumentRefused   not acceptable as JSON (place, JSON path, reason)
│   └── EventRefused      an event that cannot be read here (unknown type, newer version, broken)
├── UsageError            an option, a file, a setting that is wrong                      exit 2
└── Unreachable           a broker or an agent that does not answer                       exit 4
"""


class CardtrailError(Exception):
    """Root: `code` is kebab-case and never reused; the place is file, line, column (0 = unknown) and JSON path."""

    exit_code = 4

    def __init__(  # noqa: PLR0913 — an error's place has this many members
        self, code: str, message: str, *, hint: str = "", file: str = "", line: int = 0, column: int = 0, path: str = ""
    ) -> None:
        """Keep what, where and what to do."""
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint
        self.file, self.line, self.column, self.path = file, line, column, path

    def __str__(self) -> str:
        """What, and of which file or URL: all that a log or a traceback shows."""
        return f"{self.message}: {self.file}" if self.file and self.file not in self.message else self.message


class InputRefused(CardtrailError):
    """The input itself cannot be used."""

    exit_code = 3


class DocumentRefused(InputRefused):
    """Bytes that are not an acceptable JSON document."""


class EventRefused(InputRefused):
    """Bytes on the log that this release cannot read: `unknown-event`, `unknown-version` or `broken-event`."""


class UsageError(CardtrailError):
    """The caller asked for something wrong."""

    exit_code = 2


class Unreachable(CardtrailError):
    """Somebody we need does not answer."""

    exit_code = 4
