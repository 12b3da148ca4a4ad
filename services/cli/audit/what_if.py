"""Which past verdicts would differ: the log told twice, once as it was and once under a hypothesis. A report and nothing else."""

from collections import Counter
from time import monotonic

from cardtrail.events import ChangeDecided, Fact, ProfileCompiled, Stored
from cardtrail.services.audit.whatif import Course, differing
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.cli.audit.again import Again, Hypothesis
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.what_if import WhatIfOutput
from cardtrail.services.verdict.rules import RULES_VERSION


async def what_if(tracker: Tracker, under: Hypothesis, say: Say) -> WhatIfOutput:
    """The report over the whole log."""
    started, was, would = monotonic(), Course(), Course()
    rules: Counter[str] = Counter()
    compilers: Counter[str] = Counter()

    def heard(stored: Stored) -> None:
        event = stored.fact.data
        was.tell(stored)
        if isinstance(event, ChangeDecided):
            rules[event.rules_version] += 1
        else:
            would.tell(stored)
        if isinstance(event, ProfileCompiled):
            compilers[event.compiler_version] += 1

    def derived(fact: Fact, sequence: int) -> None:
        if isinstance(fact.data, ChangeDecided):
            would.decide(fact.data, would.effect(fact, sequence))

    again = Again(tracker.bus, under, heard, derived)
    async with watched("what if", tracker.log.last, say) as seen:
        await again.run(tracker.log.last, seen)
    return WhatIfOutput(
        format="cardtrail.what-if/1",
        hypothesis={
            "severities": {rule: word or "off" for rule, word in under.severities.items()},
            "client": under.client.model_dump(mode="json") if under.client else None,
            "recompile": under.compiles,
        },
        through=tracker.log.last,
        seconds=round(monotonic() - started, 3),
        locks=len(was.pairs() | would.pairs()),
        told=was.decisions,
        would_tell=would.decisions,
        rules_versions=dict(rules),
        compiler_versions=dict(compilers),
        here={"rules": RULES_VERSION, "compiler": COMPILER_VERSION},
        unreadable=again.unreadable,
        differing=tuple(differing(was, would)),
    )
