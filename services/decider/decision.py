"""From a standing to the fact that tells it: ChangeDecided, its causes and its id."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import Fact, derived_id, dump, instant
from cardtrail.events.model.finding import Finding
from cardtrail.projections.projection import Key
from cardtrail.services.decider.memory import Cause, Pin, Standing
from cardtrail.services.decider.moment import Moment

NAME = "decider"
SOURCE = "cardtrail/decider"
_VERSION_ALONE = {"agent-version-changed", "agent-version-regressed"}
_OURS = {"tool", "policy"}
_FINDINGS_BYTES = 160 * 1024
_TEXT = 2_000


@dataclass(frozen=True)
class Change:
    """How a pair stood and stands, the findings that say so, and what brought it."""

    pair: Key
    pinned: Pin
    before: Standing | None
    after: Standing
    findings: tuple[Finding, ...]
    cause: Cause


def decision(moment: Moment, change: Change) -> Fact:
    """The fact; its id is the same whenever the same prefix of the log is read under the same rules."""
    workflow, named, principal = change.pair
    pinned, after, findings = change.pinned, change.after, change.findings
    stored, state, previous = moment.stored, moment.state(), change.before.verdict if change.before else None
    blamed = tuple(one.model_copy(update={"cause": after.blame.get(one.fingerprint, one.cause)}) for one in findings)
    event = ChangeDecided(
        agent=named,
        principal=principal,
        workflow=workflow,
        verdict=after.verdict,
        previous=previous,
        findings=_fitting(blamed),
        action=after.action,
        degraded=after.degraded,
        owner=pinned.lock.owner,
        channel=pinned.lock.channel,
        valid_from=instant(moment.watch.now),
        considered_through=stored.sequence,
        profile_digest=state.profile_digest if state else "",
        agent_version=state.identity.version if state else "",
        lock_digest=pinned.lock_digest,
        rules_version=after.rules_version,
        policy_digest=after.policy_digest,
        causes=tuple(dict.fromkeys(_causes(moment, pinned, blamed))),
        recovered=after.verdict == "compatible" and previous in ("review", "breaking"),
        cause=change.cause,
        digest_only=after.verdict == "review" and _for_the_digest(blamed),
        watched="" if moment.agent == named else moment.agent,
    )
    return Fact(
        id=derived_id(stored.fact.id, NAME, after.rules_version, "\0".join((*change.pair, change.cause))),
        source=SOURCE,
        time=moment.watch.now,
        correlation=stored.fact.correlation or stored.fact.id,
        causation=stored.fact.id,
        data=event,
    )


def _causes(moment: Moment, pinned: Pin, findings: tuple[Finding, ...]) -> Iterator[UUID]:
    """The fact in hand, then what else the verdict rests on: profile, card, refusal, evidence, lock."""
    watch = moment.watch
    yield moment.stored.fact.id
    yield from (one for one in (watch.compiled, watch.card, watch.refusal) if one is not None)
    for name in (name for finding in findings for name in finding.evidence):
        try:
            yield UUID(name)
        except ValueError:
            continue
    yield pinned.fact


def _for_the_digest(findings: tuple[Finding, ...]) -> bool:
    """Whether nobody must be disturbed: a version number alone, or our own change of rules or policy."""
    return all(
        finding.rule in _VERSION_ALONE or finding.cause in _OURS for finding in findings if finding.severity != "note"
    )


def _fitting(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """As many findings, worst first, as an event can carry: the verdict is told whatever names a card has chosen."""
    kept: list[Finding] = []
    room = _FINDINGS_BYTES
    for finding in findings:
        texts = {name: getattr(finding, name)[:_TEXT] for name in ("subject", "path", "message", "hint")}
        cut = finding.model_copy(update=texts)
        room -= len(dump(cut))
        if room < 0:
            break
        kept.append(cut)
    return tuple(kept)
