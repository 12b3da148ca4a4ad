"""Every reason code that an output shows beside rules, diagnostics and errors: one module per place where they are made.

A house test reads the sources that make them: a new code without a row here fails it.
"""

from cardtrail.services.card.unusable import Why
from cardtrail.services.cli.catalogue.reasons.choices import CALLS, CHOICES, DELEGATIONS
from cardtrail.services.cli.catalogue.reasons.endpoints import ENDPOINTS
from cardtrail.services.cli.catalogue.reasons.looks import LOOKS
from cardtrail.services.cli.catalogue.reasons.registries import REGISTRIES
from cardtrail.services.cli.catalogue.reasons.tested import TESTS
from cardtrail.services.cli.catalogue.reasons.words import NOTICES, REPORTS, WORDS
from cardtrail.services.cli.outputs.rules import About

REASONS: dict[About, dict[str, Why]] = {
    "look": LOOKS,
    "endpoint": ENDPOINTS,
    "candidate": CHOICES,
    "call": CALLS,
    "delegation": DELEGATIONS,
    "test": TESTS,
    "registry": REGISTRIES,
    "notice": NOTICES,
    "report": REPORTS,
    "standing": WORDS,
}
"""What a reason is about → code → what it says and what to do; a code may stand under several."""
