"""From a lock and cards to the report of `check`."""

from collections.abc import Sequence
from datetime import UTC, datetime

from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.policy import Policy
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, texts_digest
from cardtrail.services.cli.catalogue.rules import LEVELS, rule_docs
from cardtrail.services.cli.formats.judged import applied, output, remarks, unreadable
from cardtrail.services.cli.formats.report import Report, Section
from cardtrail.services.cli.outputs.check import CheckedCard, UnjudgedCard
from cardtrail.services.cli.outputs.error import ErrorBody
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.failure import envelope
from cardtrail.services.cli.shell.locks import OpenedLock
from cardtrail.services.cli.shell.options import Printing
from cardtrail.services.cli.shell.release import release
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.lock import lock_digest
from cardtrail.services.verdict.lock_doubts import unexplained
from cardtrail.services.verdict.view import Baseline, Observed, Trouble


def checked(
    lock: OpenedLock, cards: Sequence[OpenedCard], old: OpenedCard | None, policy: Policy, printing: Printing
) -> Report:
    """Judge every card; `old` is the card in force when the lock was pinned.

    Raises:
        InputRefused: the old card cannot be read.
    """
    baseline = _baseline(old, policy) if old else Baseline()
    now = datetime.now(UTC)
    return Report(
        "check",
        tuple(_section(lock, card, baseline, policy, now) for card in cards),
        rules=rule_docs(),
        gate=LEVELS[printing.fail_on or "breaking"],
        shown=LEVELS[printing.level],
        release=release(),
    )


def _section(lock: OpenedLock, card: OpenedCard, baseline: Baseline, policy: Policy, now: datetime) -> Section:
    if card.absent is not None:
        return _unjudged(lock, card, card.refusal())
    seen = _observed(card, policy, now)
    judgement = judge(lock.lockfile, baseline, seen, policy, now)
    failure = unreadable(card)
    shared = output(judgement, card, seen.profile, failure)
    agent, workflow = lock.lockfile.agent, lock.lockfile.workflow
    doubts = lock.doubts
    if not judgement.findings and seen.profile_digest:
        doubts += tuple(unexplained(lock.lockfile, card.digest, seen.profile_digest, lock.reading.places))
    whole = CheckedCard(
        **shared,
        workflow=workflow,
        agent=agent,
        principal=lock.lockfile.principal,
        lock=lock.file,
        lock_digest=lock_digest(lock.lockfile),
        doubts=doubts,
    )
    return Section(
        card.given.name,
        judgement.verdict,
        whole.model_dump(mode="json"),
        remarks(judgement, card, lambda finding: lock.place(finding.subject)),
        applied(judgement),
        workflow=workflow,
        agent=agent,
        version=whole.agent_version,
        digest=card.digest,
        file=lock.file,
        failure=failure,
        doubts=doubts,
    )


def _unjudged(lock: OpenedLock, card: OpenedCard, why: CardtrailError) -> Section:
    needed = lock.lockfile
    whole = UnjudgedCard(
        verdict="unknown",
        findings=(),
        card=card.given.name,
        workflow=needed.workflow,
        agent=needed.agent,
        principal=needed.principal,
        lock=lock.file,
        lock_digest=lock_digest(needed),
        doubts=lock.doubts,
        error=ErrorBody.model_validate(envelope(why)),
    )
    return Section(
        card.given.name,
        whole.verdict,
        whole.model_dump(mode="json"),
        workflow=needed.workflow,
        agent=needed.agent,
        file=lock.file,
        failure=why,
        doubts=lock.doubts,
    )


def _observed(card: OpenedCard, policy: Policy, now: datetime) -> Observed:
    held = card.reading.card
    if held is not None and card.is_forged:
        reason = card.signature.reason if card.signature else ""
        return Observed(trouble=Trouble(kind="signature", since=now, reason="signature-invalid", detail=reason))
    if held is None:
        why = card.refusal()
        return Observed(trouble=Trouble(kind="unreadable", since=now, reason=why.code, detail=why.message))
    profile = compile_profile(held, policy.client)
    return Observed(
        profile=profile,
        identity=card.identity(),
        profile_digest=profile_digest(profile),
        texts_digest=texts_digest(held),
    )


def _baseline(old: OpenedCard, policy: Policy) -> Baseline:
    card = old.usable()
    profile = compile_profile(card, policy.client)
    return Baseline(profile=profile, identity=old.identity(), texts_digest=texts_digest(card))
