"""Reads a case folder: cards before and after, a lock, what else is known, and the judgement expected."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.policy import Policy
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, texts_digest
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import read_card
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.lock import read_lock
from cardtrail.services.verdict.view import Baseline, Judgement, Observed

NOW = datetime(2026, 11, 1, tzinfo=UTC)
RULE_CASES = Path(__file__).with_name("rules")


def seen(data: bytes, policy: Policy, signature: dict[str, Any] | None = None) -> dict[str, Any]:
    """What compiling one card gives, as the members of an observation."""
    card = read_card(data).card
    assert card is not None, read_card(data).refusal
    profile = compile_profile(card, policy.client)
    summary = SignatureSummary.model_validate(signature) if signature else None
    return {
        "profile": profile,
        "identity": identify(card, summary),
        "profile_digest": profile_digest(profile),
        "texts_digest": texts_digest(card),
    }


def judged(case: Path) -> Judgement:
    """The judgement about a case; `observed.json` holds members of `Observed`, signatures, policy, `baseline: false`."""
    extra = json.loads((case / "observed.json").read_text("utf-8")) if (case / "observed.json").exists() else {}
    policy = Policy.model_validate_json(json.dumps(extra.pop("policy", {})))
    before = seen((case / "before.json").read_bytes(), policy, extra.pop("before_signature", None))
    after = seen((case / "after.json").read_bytes(), policy, extra.pop("after_signature", None))
    known = {name: value for name, value in before.items() if name != "profile_digest"}
    baseline = Baseline(**known) if extra.pop("baseline", True) else Baseline()
    observed = Observed.model_validate_json(json.dumps(extra)).model_copy(update=after)
    return judge(read_lock((case / "lock.json").read_bytes()).lockfile, baseline, observed, policy, NOW)


def expected(case: Path) -> tuple[str, list[tuple[str, str]]]:
    """Verdict, and the exact set of (rule, severity)."""
    said = json.loads((case / "expected.json").read_text("utf-8"))
    return said["verdict"], sorted((one["rule"], one["severity"]) for one in said["findings"])
