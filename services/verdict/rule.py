"""The contract of a rule: an id, a default severity, a documentation, and a check that yields what it noticed.

The one principle behind every severity. *Breaking*: a call this workflow makes will fail, or go where it must not.
*Review*: such a call may behave otherwise, and the card alone cannot tell. *Note*: nothing that this workflow does is
touched.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from cardtrail.events.model.finding import Severity
from cardtrail.services.verdict.view import Ground, View


@dataclass(frozen=True)
class Noticed:
    """What a rule noticed: `subject` by natural key; `before`, `after` JSON values with sets sorted; `member` of the profile.

    `path` is the JSON path in the card where it is not that of `member`.
    """

    subject: str
    message: str
    member: str = ""
    needs: Any = None
    before: Any = None
    after: Any = None
    hint: str = ""
    path: str = ""
    evidence: tuple[str, ...] = ()
    cause: Literal["agent", "tool", "policy", "time"] = "agent"


Check = Callable[[View], Iterator[Noticed]]


@dataclass(frozen=True)
class Rule:
    """A named rule. `doc` is its module's docstring, None under `python -OO`.

    `mirror` is the id of the opposite rule, or the reason why there is none.

    `rests_on` names what must be known of where the lock started, or the rule may stay silent for
    want of knowledge, and the judgement says so.
    """

    id: str
    severity: Severity
    check: Check
    doc: str | None
    mirror: str
    rests_on: Ground | None = None

    @property
    def title(self) -> str:
        """What has happened, in one sentence."""
        return self.doc.partition("\n")[0].rstrip(".") if self.doc else self.id.replace("-", " ")

    @property
    def explanation(self) -> str:
        """Why it matters and what to do, in paragraphs."""
        return self.doc.partition("\n")[2].strip() if self.doc else ""
