"""The safety contract: what was agreed with a provider may be sent, how often and when. Without one no message is run.

Times of day are UTC; `rate_s` is the least number of seconds between two requests that run a message.
"""

from datetime import datetime
from typing import Any

from pydantic import Field, field_validator

from cardtrail.events.canonical import digest
from cardtrail.events.model.value import Value


class QuietHours(Value):
    """A span of the day in which nothing is sent, `HH:MM` to `HH:MM` UTC; it may pass midnight, equal ends are all day."""

    start: str = Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    end: str = Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")

    def covers(self, at: datetime) -> bool:
        """Whether an instant lies inside."""
        now = at.strftime("%H:%M")
        inside = self.start <= now < self.end
        return inside if self.start < self.end else not (self.end <= now < self.start)


class SafetyContract(Value):
    """What may be sent to which skill or tenant; `message` is the exact A2A Message, `messages` one per media type.

    `skill` limits the claims tested to those of one skill; `hosts` are the endpoints agreed (empty = the site that the card
    comes from). `probes` names the probes agreed (empty = all that run messages); `budget` is requests that run a message
    per 24 hours; `trials` repeats of one probe, of which `pass_rate` must hold.
    """

    skill: str | None = None
    tenant: str | None = None
    hosts: tuple[str, ...] = ()
    message: dict[str, Any]
    messages: dict[str, dict[str, Any]] = {}
    probes: tuple[str, ...] = ()
    budget: int = Field(default=24, ge=0, le=10_000)
    rate_s: int = Field(default=60, ge=0, le=86_400)
    trials: int = Field(default=1, ge=1, le=20)
    pass_rate: float = Field(default=0.8, gt=0, le=1)
    quiet: tuple[QuietHours, ...] = ()
    agreed_with: str = ""

    @field_validator("message")
    @classmethod
    def _has_parts(cls, value: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(value.get("parts"), list) or not value["parts"]:
            raise ValueError("a message with at least one part is wanted")
        return value


def contract_digest(contract: SafetyContract | None) -> str:
    """What evidence names: `sha256:` + 64 hex, "" without a contract."""
    return "" if contract is None else digest(contract)
