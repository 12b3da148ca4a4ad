"""One claim per file; a new probe is a file and a line here."""

from cardtrail.services.prober.probe import Probe
from cardtrail.services.prober.probes.binding_answers import PROBE as BINDING_ANSWERS
from cardtrail.services.prober.probes.extended_card import PROBE as EXTENDED_CARD
from cardtrail.services.prober.probes.extension_enforced import PROBE as EXTENSION_ENFORCED
from cardtrail.services.prober.probes.input_mode import PROBE as INPUT_MODE
from cardtrail.services.prober.probes.output_mode import PROBE as OUTPUT_MODE
from cardtrail.services.prober.probes.security_required import PROBE as SECURITY_REQUIRED
from cardtrail.services.prober.probes.streaming import PROBE as STREAMING
from cardtrail.services.prober.probes.version_enforced import PROBE as VERSION_ENFORCED

PROBES: dict[str, Probe] = {
    probe.id: probe
    for probe in (
        BINDING_ANSWERS,
        VERSION_ENFORCED,
        SECURITY_REQUIRED,
        EXTENDED_CARD,
        STREAMING,
        INPUT_MODE,
        OUTPUT_MODE,
        EXTENSION_ENFORCED,
    )
}
