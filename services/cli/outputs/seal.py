"""`cardtrail seal --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class SealOutput(Value):
    """`cardtrail seal --json`: the head that was signed, as the note to keep elsewhere."""

    format: Literal["cardtrail.seal/1"]
    through: int
    note: str


class NewKeyOutput(Value):
    """`cardtrail seal --new-key FILE --json`: the verifier key to hand to others; the signing key is in the file alone."""

    format: Literal["cardtrail.seal-key/1"]
    file: str
    verifier: str


OUTPUTS: tuple[type[Value], ...] = (SealOutput, NewKeyOutput)
