"""`cardtrail prove --json`, which is the proof file itself."""

from cardtrail.events.model.value import Value
from cardtrail.services.ledger.proof import Proof

OUTPUTS: tuple[type[Value], ...] = (Proof,)
