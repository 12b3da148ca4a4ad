"""Real cards and their real next versions, judged by hand: `diff` says what a careful operator said."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.card.read import read_card
from cardtrail.services.verdict.diff import diff

SHARED = os.environ.get("CARDTRAIL_SHARED")
CORPUS = Path(SHARED or ".") / "corpus"
DOUBTED: dict[str, str] = {}
"""Labels that are wrong, with the reason; none is known."""


def labels() -> list[dict[str, Any]]:
    if not SHARED:
        return []
    return [json.loads(line) for line in (CORPUS / "labels.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.skipif(not SHARED, reason="CARDTRAIL_SHARED names no folder with the corpus")
@pytest.mark.parametrize("label", labels(), ids=lambda label: label["id"])
def test_the_verdict_is_the_one_a_careful_operator_wants(label: dict[str, Any]) -> None:
    history = CORPUS / "histories" / label["history"]
    old, new = (read_card((history / label[name]).read_bytes()) for name in ("old_file", "new_file"))
    judgement = diff(old, new)
    wanted = label["expert_verdict"]
    found = [f"{one.severity} {one.rule} {one.subject}" for one in judgement.findings]
    assert (judgement.verdict == wanted) is (label["id"] not in DOUBTED), (
        judgement.verdict,
        wanted,
        label["reasons"],
        found,
    )
