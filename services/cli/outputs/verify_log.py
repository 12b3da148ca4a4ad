"""`cardtrail verify-log --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.ledger.check import Checked
from cardtrail.services.ledger.proof import ProofChecked


class VerifyLogOutput(Value):
    """`cardtrail verify-log --json`: `keys` were trusted; `problems` are heads that are none, or signed falsely.

    The exit code is 1 where something was altered, a head does not match, one is false, or no head that matches is signed by a
    trusted key: nothing is shown then.
    """

    format: Literal["cardtrail.verify-log/1"]
    source: str
    keys: tuple[str, ...]
    problems: tuple[str, ...]
    checked: Checked

    @property
    def intact(self) -> bool:
        """Whether nothing is known to differ from what was sealed, by whomever."""
        heads = all(one.matches is not False for one in self.checked.heads)
        return heads and self.checked.alteration is None and not self.problems

    @property
    def sealed(self) -> bool:
        """Whether a head that a trusted key signed matches."""
        return any(one.signed and one.matches for one in self.checked.heads)

    @property
    def good(self) -> bool:
        """Whether it is shown to be what was sealed."""
        return self.intact and self.sealed


class VerifyProofOutput(Value):
    """`cardtrail verify-log --proof FILE --json`; the exit code is 1 where it does not hold or no trusted key signed its head."""

    format: Literal["cardtrail.verify-proof/1"]
    file: str
    proof: ProofChecked

    @property
    def good(self) -> bool:
        """Whether the fact is proven to whoever trusts the keys."""
        older = self.proof.older_size is None or bool(self.proof.older_signed)
        return self.proof.holds and bool(self.proof.signed) and older


OUTPUTS: tuple[type[Value], ...] = (VerifyLogOutput, VerifyProofOutput)
