"""What verification says of a card: one result per signature, one outcome over all, in plain values."""

from typing import Any

from cardtrail.events.card_fetched import SignatureOutcome, SignatureSummary
from cardtrail.events.model.value import Value

MAX_PATHS = 64
MAX_PATH_CHARS = 160


class Difference(Value):
    """A member that differs from what was signed: JSON path, as served and as signed (None where it is absent)."""

    path: str
    served: Any = None
    signed: Any = None


class SignatureResult(Value):
    """One signature; `index` is its place in `signatures`.

    `form` is the first canonical form that matches, `forms` all of them; `reason` is one of `REASONS`, "" when verified;
    `thumbprint` names the key that was tried (RFC 7638); `identity` is the same for every spelling of the signature;
    `uncovered` lists JSON paths that the signature does not see; `differences` what would explain a mismatch; `notes` what was
    seen and ignored.
    """

    index: int
    outcome: SignatureOutcome
    kid: str | None = None
    alg: str | None = None
    form: str | None = None
    reason: str = ""
    detail: str = ""
    hint: str = ""
    forms: tuple[str, ...] = ()
    thumbprint: str = ""
    payload_digest: str = ""
    identity: str = ""
    uncovered: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()


class Verification(Value):
    """The whole card: one good signature is enough; `body_digest` says which bytes were judged, `checked` what was done."""

    outcome: SignatureOutcome
    signatures: tuple[SignatureResult, ...] = ()
    body_digest: str = ""
    checked: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def deciding(self) -> SignatureResult | None:
        """The signature that stands for the outcome: among equals the smallest thumbprint, so that their order never matters."""
        equals = [result for result in self.signatures if result.outcome == self.outcome]
        return min(equals, key=lambda result: (result.thumbprint, result.index), default=None)

    def summary(self) -> SignatureSummary:
        """The short form that a fact carries; `signer` is the thumbprint of the key that verified."""
        one = self.deciding
        if one is None:
            return SignatureSummary(outcome=self.outcome)
        good = [result for result in self.signatures if result.outcome == "verified"]
        return SignatureSummary(
            outcome=self.outcome,
            signer=one.thumbprint if self.outcome == "verified" else None,
            signers={result.thumbprint: result.kid or "" for result in sorted(good, key=lambda one: one.thumbprint)},
            kid=one.kid,
            alg=one.alg,
            form=one.form,
            reason=one.reason,
            uncovered=one.uncovered,
        )


def overall(outcomes: list[SignatureOutcome]) -> SignatureOutcome:
    """One good signature suffices (A2A §8.4.3); else a wrong one weighs more than one that cannot be judged."""
    order: tuple[SignatureOutcome, ...] = ("verified", "invalid", "unverifiable")
    return next((outcome for outcome in order if outcome in outcomes), "absent")


def capped(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths fit to store and show: each cut to 160 characters, 64 at most; the last one then says how many are left out."""
    cut = tuple(path[:MAX_PATH_CHARS] for path in paths)
    return cut if len(cut) <= MAX_PATHS else (*cut[: MAX_PATHS - 1], f"… {len(cut) - MAX_PATHS + 1} more")
