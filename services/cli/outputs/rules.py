"""`cardtrail rules --json`."""

from typing import Literal

from cardtrail.events.model.finding import Level, Severity
from cardtrail.events.model.value import Value


class RuleOutput(Value):
    """A rule: default severity, the severity in force (null = switched off) and where that was set.

    `mirror` is the rule of the opposite change, or why there is none.
    """

    id: str
    severity: Severity
    in_force: Severity | None
    set_by: Literal["default", "lock", "policy"]
    title: str
    explanation: str
    mirror: str
    tags: tuple[str, ...]


class DiagnosticOutput(Value):
    """A numbered diagnostic of `lint`; in `says` and `hint`, facts about the place stand in for names in braces.

    `example` and `example_hint` are the two about some card.
    """

    code: str
    name: str
    level: Level
    says: str
    hint: str
    why: str
    example: str = ""
    example_hint: str = ""


class ErrorCodeOutput(Value):
    """An error code with its exit code."""

    code: str
    exit: int
    title: str


About = Literal[
    "profile",
    "signature",
    "look",
    "endpoint",
    "candidate",
    "call",
    "delegation",
    "test",
    "registry",
    "notice",
    "report",
    "standing",
]


class ReasonOutput(Value):
    """A code as outputs and facts have it.

    `about` says where: why a profile is unusable, a signature not verified, a look without a card, an endpoint not to be called,
    a candidate not to be chosen, a call not planned, a delegation answered so, what came of a test, a registry or its entry not
    read, a notice not sent, a call reported as failed; or how an agent or a lock stands. A code may stand under several.
    """

    code: str
    about: About
    title: str
    hint: str


class RulesOutput(Value):
    """`cardtrail rules --json`: the catalogue, or the entries named."""

    format: Literal["cardtrail.rules/1"]
    rules: tuple[RuleOutput, ...] = ()
    diagnostics: tuple[DiagnosticOutput, ...] = ()
    errors: tuple[ErrorCodeOutput, ...] = ()
    reasons: tuple[ReasonOutput, ...] = ()


OUTPUTS: tuple[type[Value], ...] = (RulesOutput,)
