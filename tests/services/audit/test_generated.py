"""History, explanations and what was known at an instant, beside plain loops over a generated log."""

from collections import defaultdict
from itertools import islice
from uuid import UUID

from cardtrail.events import (
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeDecided,
    ProbeStarted,
    ProfileCompiled,
    Stored,
)
from cardtrail.projections.as_of import as_of
from cardtrail.projections.current_profile import CURRENT_PROFILE, CurrentProfile
from cardtrail.projections.lockfile_status import LOCKFILE_STATUS, LockfileStatus
from cardtrail.services.audit.explain import Explaining
from cardtrail.services.cli.live.story import Story
from tests.services.audit.generated import AGENTS, generated


def told(facts: list[Stored]) -> list[list[int]]:
    """The lines of a history: each cause with what follows from it; what changes nothing is no line."""
    lines: list[list[int]] = []
    line_of: dict[UUID, list[int]] = {}
    trouble: tuple[str, str] | None = None
    for one in facts:
        event = one.fact.data
        follows = line_of.get(one.fact.causation) if one.fact.causation else None
        weighs = not isinstance(event, CallsCounted | ProbeStarted)
        if isinstance(event, CardFetched):
            weighs, trouble = event.same_as is None or trouble is not None, None
        elif isinstance(event, CardRefused):
            weighs, trouble = trouble != (event.stage, event.reason), (event.stage, event.reason)
        if isinstance(event, ProfileCompiled | ChangeDecided) and follows is not None:
            follows.append(one.sequence)
            line_of[one.fact.id] = follows
        elif weighs:
            lines.append([one.sequence])
            line_of[one.fact.id] = lines[-1]
    return lines


def test_the_history_of_every_agent_is_what_a_plain_loop_tells() -> None:
    seen = 0
    for agent, facts in generated().items():
        story = Story()
        for stored in facts:
            story.tell(stored)
        lines = [[fact.sequence for fact in entry.facts] for entry in story.entries]
        assert lines == told(facts), agent
        assert story.folded + sum(map(len, lines)) == story.facts == len(facts)
        seen += len(lines)
    assert seen > AGENTS


def test_every_decision_is_explained_since_when_its_findings_stand() -> None:
    seen = 0
    for agent, facts in generated().items():
        since: dict[str, int] = {}
        for stored in (one for one in facts if isinstance(one.fact.data, ChangeDecided)):
            event = stored.fact.data
            assert isinstance(event, ChangeDecided)
            since = {one.fingerprint: since.get(one.fingerprint, stored.sequence) for one in event.findings}
            fold = Explaining(stored, event)
            for one in facts:
                fold.tell(one)
            assert {one.finding.fingerprint: one.since for one in fold.reasons({})} == since, agent
            seen += 1
    assert seen > AGENTS


def test_what_was_known_at_any_sequence_is_the_last_word_up_to_it() -> None:
    for agent, facts in islice(generated().items(), 0, None, max(AGENTS // 20, 1)):
        for through in (one.sequence for one in facts[:: max(len(facts) // 5, 1)]):
            last: dict[str, Stored] = defaultdict()
            for one in facts:
                if one.sequence <= through:
                    last[one.fact.data.kind] = one
            rows = as_of(facts, CurrentProfile(), through)
            row, profile = rows.get(CURRENT_PROFILE.name, ("public", agent)), last.get("profile-compiled")
            assert (row or {}).get("profile_digest") == (
                profile.fact.data.profile_digest if profile else None  # type: ignore[attr-defined]
            )
            rows = as_of(facts, LockfileStatus(), through)
            status, decision = rows.get(LOCKFILE_STATUS.name, ("public", "trip", agent)), last.get("change-decided")
            if decision is not None:
                assert status is not None
                assert status["verdict"] == decision.fact.data.verdict  # type: ignore[attr-defined]
