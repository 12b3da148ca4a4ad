"""One attempt at one claim, with what belongs to it: judged, set beside the public card, cleaned up behind."""

import logging
from contextlib import suppress
from dataclasses import dataclass

from cardtrail.events.errors import InputRefused
from cardtrail.events.fact import dump
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.card.digests import semantic_digest
from cardtrail.services.card.read import read_card
from cardtrail.services.outbound.call import Credential
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.memory import Subject
from cardtrail.services.prober.probe import Attempt, Judged, Probe, Seen, error_name, inconclusive
from cardtrail.services.prober.probes.extended_card import PROBE as EXTENDED_CARD
from cardtrail.services.prober.trials import Trial
from cardtrail.services.wire.request import build

log = logging.getLogger("cardtrail.prober")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a claim is tested: the profile says what it claims, `interface` where to ask (with the tenant agreed)."""

    subject: Subject
    profile: Profile
    interface: Interface
    credential: Credential | None


async def tried(asker: Asker, probe: Probe, claim: Claim, attempt: Attempt, target: Target) -> Trial:
    """Send one attempt and judge what came back; a task that it left running is cancelled. Raises nothing."""
    try:
        return await _tried(asker, probe, claim, attempt, target)
    except Exception as error:  # whatever an answer does to us, it is no evidence, and the next test goes on
        log.exception("%s of %s", probe.id, target.subject.home)
        fault = "unexpected-error"
        return Trial(seen=Seen(fault=fault), judged=inconclusive(fault, type(error).__name__))


async def _tried(asker: Asker, probe: Probe, claim: Claim, attempt: Attempt, target: Target) -> Trial:
    seen = await _ask(asker, attempt, target)
    if probe.id == EXTENDED_CARD.id:
        seen = _beside_the_public_card(seen, target.subject)
    judged = probe.judge(target.profile, claim, seen)
    if judged.outcome == "contradicted" and probe.instead is not None:
        judged = await _what_works(asker, probe, judged, target)
    if seen.task and probe.runs_message:
        with suppress(InputRefused):  # an id that cannot be asked about says nothing of the claim
            cancel = build(target.interface, "CancelTask", {"id": seen.task}, request_id="cardtrail-probe-cancel")
            await _ask(asker, Attempt(request=cancel), target)
    return Trial(seen=seen, judged=judged)


async def _ask(asker: Asker, attempt: Attempt, target: Target) -> Seen:
    return await asker.ask(attempt, target.interface, target.subject.endpoints, target.credential)


def _beside_the_public_card(seen: Seen, subject: Subject) -> Seen:
    """Whether what came back is a card at all, and another one than that of the last look."""
    answer = seen.answer
    if answer is None or answer.kind != "result":
        return seen
    reading = read_card(dump(answer.result))
    if reading.refusal is not None or reading.document is None:
        return seen.model_copy(update={"strange": reading.refusal.message if reading.refusal else "no card"})
    distinct = not subject.card_digest or semantic_digest(reading.document.value) != subject.card_digest
    return seen.model_copy(update={"distinct_card": distinct})


async def _what_works(asker: Asker, probe: Probe, judged: Judged, target: Target) -> Judged:
    """After a contradiction the other generation of the protocol is asked, so that the record can name it."""
    if probe.instead is None:
        return judged
    attempt, version = probe.instead(target.interface)
    if error_name(await _ask(asker, attempt, target)) != "TaskNotFoundError":
        return judged
    works = f"{target.interface.binding} {version} answers instead"
    return judged.model_copy(update={"detail": "; ".join(part for part in (judged.detail, works) if part)})
