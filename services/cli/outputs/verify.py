"""`cardtrail verify --json`."""

from typing import Literal

from cardtrail.events.card_fetched import SignatureOutcome
from cardtrail.events.model.value import Value
from cardtrail.services.card.verification import Difference, SignatureResult, Verification


class SignatureOutput(Value):
    """One signature: `form` is the canonical form that verified (A2A facts §4.4), `reason` why it did not, null where it did."""

    outcome: SignatureOutcome
    kid: str | None
    alg: str | None
    form: str | None
    reason: str | None
    detail: str
    hint: str
    forms: tuple[str, ...]
    thumbprint: str
    uncovered: tuple[str, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


class VerifyOutput(Value):
    """`cardtrail verify CARD --keys JWKS --json`: `absent` is no failure, `unverifiable` is not `invalid`."""

    format: Literal["cardtrail.verify/1"]
    outcome: SignatureOutcome
    signatures: tuple[SignatureOutput, ...]
    card: str
    checked: tuple[str, ...]
    problems: tuple[str, ...]


OUTPUTS: tuple[type[Value], ...] = (VerifyOutput,)


def verified(found: Verification, card: str) -> VerifyOutput:
    """A verification in its published shape."""
    return VerifyOutput(
        format="cardtrail.verify/1",
        outcome=found.outcome,
        signatures=tuple(_signature(result) for result in found.signatures),
        card=card,
        checked=found.checked,
        problems=found.problems,
    )


def _signature(result: SignatureResult) -> SignatureOutput:
    members = {name: getattr(result, name) for name in SignatureOutput.model_fields}
    return SignatureOutput(**{**members, "reason": result.reason or None})
