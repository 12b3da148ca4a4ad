"""Another release over the same log: what only its compiler or its rules bring is ours, blames no agent and disturbs no owner."""

import json
from typing import Any

import pytest

from cardtrail.events import ChangeDecided, Event, Fact, OwnerNotified, ProfileCompiled, Stored
from cardtrail.events.canonical import raw_digest
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Rows
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.compiler.compiled import Compile, compiled
from cardtrail.services.compiler.compiler import Body, Compiler
from cardtrail.services.decider.decider import Decider
from cardtrail.services.notifier.due import ripe
from cardtrail.services.notifier.message import summary
from cardtrail.services.notifier.notices import Notices, begin, waiting
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.rules import RULES_VERSION
from tests.projections.log import START
from tests.services.compiler.test_compiled import card
from tests.services.decider.scene import AGENT, Scene, lock

QUOTE = {"id": "itinerary-pricing", "name": "Quote", "description": "d", "tags": ["t"]}
NEXT = "next"


class Tracker(Scene):
    """Compiler, decider and notifier over one log, each of the release that is told."""

    def __init__(self) -> None:
        super().__init__()
        self.compiler, self.compiler_rows = Compiler(compiled, COMPILER_VERSION), Rows()
        self.bodies: dict[Body, bytes] = {}
        self.notices = Rows()
        begin(self.notices, START)

    def upgrade(self, *, rules: Any = judge, compile_: Compile = compiled, compiler: str = COMPILER_VERSION) -> None:
        self.decider = Decider(rules, NEXT if rules is not judge else RULES_VERSION)
        self.compiler = Compiler(compile_, compiler)

    def tell(self, event: Event, fact: Fact | None = None) -> list[ChangeDecided]:
        told = super().tell(event, fact)
        stored = self.log[-1]
        Notices().apply(stored, self.notices)
        for one in self.told[len(self.told) - len(told) :]:
            self.log.append(Stored(sequence=len(self.log) + 1, stored_at=self.now, fact=one))
            Notices().apply(self.log[-1], self.notices)
        for one in self.compiler.derive(stored, self.compiler_rows, self.bodies):
            told += self.tell(one.data, one)
        return told

    def serves(self, **members: Any) -> list[ChangeDecided]:
        """A card that is new."""
        body = json.dumps(card(**members)).encode()
        name = raw_digest(body)
        self.bodies[AGENT, "public", name] = body
        return self.fetch(raw_digest=name, location="https://pricing.partner.example/card.json")

    def unchanged(self) -> list[ChangeDecided]:
        """The same card once more."""
        full = next(one.sequence for one in reversed(self.log) if getattr(one.fact.data, "raw_digest", ""))
        return self.fetch(same_as=full, status=200, raw_digest="", location="")

    def owner_hears(self) -> tuple[list[str], list[str]]:
        """Summaries of what would be sent now, and of what waits for the digest; all of it counts as sent."""
        now, _ = ripe(waiting(self.notices), self.now, 8)
        later = [one for one in waiting(self.notices) if one.digest]
        for one in (*now, *later):
            self.tell(
                OwnerNotified(
                    agent=one.event.agent, workflow=one.event.workflow, decision=one.decision, channel="ops",
                    fingerprints=tuple(finding.fingerprint for finding in one.event.findings),
                )
            )  # fmt: skip
        return [summary(one.event) for one in now], [summary(one.event) for one in later]


def settled() -> Tracker:
    tracker = Tracker()
    tracker.declare(Policy())
    tracker.track(value="https://pricing.partner.example/card.json")
    tracker.serves(skills=[QUOTE])
    tracker.pin(lock())
    tracker.unchanged()
    tracker.owner_hears()
    return tracker


def strict(lock_: Any, baseline: Any, observed: Any, policy: Any, now: Any) -> Any:
    """Rules that find a break where the old ones found nothing."""
    found = judge(lock_, baseline, observed, policy, now)
    rest = Policy(
        severities={finding.rule: "breaking" for finding in found.findings} | {"claim-unverified": "breaking"}
    )
    return judge(lock_.model_copy(update={"evidence_max_age_s": 1}), baseline, observed, rest, now)


def other(data: bytes, signature: Any, client: Any) -> Any:
    """A compiler that reads the same card otherwise: without any skill."""
    found = compiled(data, signature, client)
    assert found is not None
    profile = found.profile.model_copy(update={"skills": {}})
    return found.model_copy(update={"profile": profile, "profile_digest": profile_digest(profile)})


@pytest.mark.parametrize(
    "release",
    [{"rules": strict}, {"compile_": other, "compiler": NEXT}],
    ids=["other rules", "another compiler"],
)
def test_what_only_another_release_brings_is_ours_and_waits_for_the_digest(release: dict[str, Any]) -> None:
    tracker = settled()
    before = len([one for one in tracker.told if isinstance(one.data, ChangeDecided)])
    tracker.upgrade(**release)
    told = tracker.unchanged()
    assert told, "the new release sees it otherwise"
    assert {one.cause for one in told} == {"tool"}
    assert {finding.cause for one in told for finding in one.findings if finding.severity == "breaking"} <= {
        "tool",
        "time",
    }
    now, later = tracker.owner_hears()
    assert now == []
    assert all("the agent did nothing" in one for one in later)
    assert len([one for one in tracker.told if isinstance(one.data, ChangeDecided)]) == before + len(told)
    assert tracker.unchanged() == []
    tracker.upgrade()
    back = tracker.unchanged()
    assert {one.cause for one in back} == {"tool"}
    assert tracker.owner_hears()[0] == []


def test_a_release_that_sees_all_as_before_says_nothing() -> None:
    tracker = settled()
    profiles = sum(isinstance(one.fact.data, ProfileCompiled) for one in tracker.log)
    tracker.upgrade(compiler=NEXT)
    assert tracker.unchanged() == []
    tracker.decider = Decider(judge, NEXT)
    assert tracker.unchanged() == []
    assert sum(isinstance(one.fact.data, ProfileCompiled) for one in tracker.log) == profiles
    assert tracker.owner_hears() == ([], [])


def test_what_the_agent_does_after_an_upgrade_is_the_agents_again() -> None:
    tracker = settled()
    tracker.upgrade(compile_=other, compiler=NEXT)
    tracker.unchanged()
    tracker.owner_hears()
    tracker.upgrade()
    tracker.unchanged()
    tracker.owner_hears()
    told = tracker.serves(skills=[{**QUOTE, "id": "another"}])
    assert {one.cause for one in told} == {"agent"}
    now, _ = tracker.owner_hears()
    assert now
    assert all("did nothing" not in one for one in now)
