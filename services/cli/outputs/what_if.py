"""`cardtrail replay --json` under a hypothesis."""

from typing import Any, Literal

from cardtrail.events.model.value import Value
from cardtrail.services.audit.whatif import Differing


class WhatIfOutput(Value):
    """`cardtrail replay --rules FILE`, `--client FILE` or `--recompile`, with `--json`: which past verdicts would differ.

    `hypothesis` is what would have been otherwise; `rules_versions` and `compiler_versions` are those found on the log beside
    ours, as `here`: what they bring differs, too. `told` counts decisions on the log, `would_tell` those under the hypothesis.
    """

    format: Literal["cardtrail.what-if/1"]
    hypothesis: dict[str, Any]
    through: int
    seconds: float
    locks: int
    told: int
    would_tell: int
    rules_versions: dict[str, int]
    compiler_versions: dict[str, int]
    here: dict[str, str]
    unreadable: int
    differing: tuple[Differing, ...]
