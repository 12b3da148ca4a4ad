"""`cardtrail doctor --json`."""

from typing import Literal

from cardtrail.events.model.value import Value

Level = Literal["ok", "warning", "failed"]


class Check(Value):
    """One thing that was looked at: what it says, and what to do where it is not well."""

    name: str
    level: Level
    says: str
    fix: str


class DoctorOutput(Value):
    """`cardtrail doctor --json`: worst first; holds no secret. The exit code is 1 where something failed."""

    format: Literal["cardtrail.doctor/1"]
    at: str
    release: str
    broker: str
    failed: int
    warnings: int
    checks: tuple[Check, ...]


OUTPUTS: tuple[type[Value], ...] = (DoctorOutput,)
