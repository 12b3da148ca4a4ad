"""One observation of a card: what it changes in what is told of the agent, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from cardtrail.events.card_fetched import CardFetched, SignatureSummary
from cardtrail.events.fact import Fact, Stored, derived_id
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.compiler.compiled import Compile
from cardtrail.services.compiler.memory import Answer, Client, Held, Waiting
from cardtrail.services.kept import drop, load, save
from cardtrail.services.places import names

NAME = "compiler"
SOURCE = "cardtrail/compiler"
Cause = Literal["card", "compiler", "client", "pin"]
Body = tuple[str, str, str]
"""Agent, principal, digest of the bytes."""


@dataclass(frozen=True)
class Observation:
    """An observation in its place, with the compiler and the bodies to compile for it."""

    stored: Stored
    event: CardFetched
    rows: Rows
    bodies: Mapping[Body, bytes]
    client: Client
    compiled: Compile
    version: str

    def told(self) -> tuple[Fact, ...]:
        """First what our own side changed under the card in hand, then the card itself, else an answer to whoever waits."""
        held, current = load(self.rows, Held, self._key) or Held(), load(self.rows, Answer, self._key)
        after = held.after(self.event)
        answers: list[tuple[Cause, Answer]] = []
        ours = outdated(current, self.client, self.version) if current else None
        if current is not None and ours is not None:
            current = self._put(ours, current, self._answer(current.raw_digest, current.signature), answers)
        if current is None or not current.is_of(after):
            current = self._put("card", current, self._answer(after.raw_digest, after.signature), answers)
        pins = self._pins()
        is_known = current is not None and current.is_of(after)
        if current is not None and is_known and not answers and (pins or (held.refused and self.event.same_as is None)):
            answers.append(("pin" if pins else "card", current))
        if is_known:
            for pin in pins:
                drop(self.rows, Waiting, pin)
        save(self.rows, self._key, after if is_known else after.model_copy(update={"refused": held.refused}))
        return tuple(self._fact(cause, answer) for cause, answer in answers)

    @property
    def _key(self) -> Key:
        return (self.event.agent, self.event.principal)

    def _pins(self) -> tuple[Key, ...]:
        keys = ((name, self.event.principal) for name in names(self.rows, *self._key))
        return tuple(key for key in keys if load(self.rows, Waiting, key) is not None)

    def _answer(self, raw_digest: str, signature: SignatureSummary) -> Answer | None:
        body = self.bodies.get((self.event.agent, self.event.principal, raw_digest))
        made = None if body is None else self.compiled(body, signature, self.client.capabilities)
        if made is None:
            return None
        return Answer(
            compiled=made,
            raw_digest=raw_digest,
            signature=signature,
            client_digest=self.client.digest,
            compiler_version=self.version,
        )

    def _put(
        self, cause: Cause, old: Answer | None, new: Answer | None, answers: list[tuple[Cause, Answer]]
    ) -> Answer | None:
        """The newer answer is in force, and told where it differs; a body that is gone or refused leaves the old one."""
        if new is None:
            return old
        if old is None or not new.says_the_same_as(old):
            answers.append((cause, new))
        save(self.rows, self._key, new)
        return new

    def _fact(self, cause: Cause, answer: Answer) -> Fact:
        stored, made = self.stored, answer.compiled
        event = ProfileCompiled(
            agent=self.event.agent,
            principal=self.event.principal,
            card=stored.fact.id,
            card_sequence=stored.sequence,
            card_digest=answer.raw_digest,
            profile=made.profile,
            profile_digest=made.profile_digest,
            identity=made.identity,
            identity_digest=made.identity_digest,
            texts_digest=made.texts_digest,
            compiler_version=answer.compiler_version,
            client_digest=answer.client_digest,
            cause=cause,
        )
        return Fact(
            id=derived_id(stored.fact.id, NAME, self.version, cause),
            source=SOURCE,
            time=stored.stored_at,
            correlation=stored.fact.correlation or stored.fact.id,
            causation=stored.fact.id,
            data=event,
        )


def outdated(answer: Answer, client: Client, version: str) -> Cause | None:
    """Why a card in hand must be compiled again: other client capabilities, or another compiler."""
    if answer.client_digest != client.digest:
        return "client"
    return "compiler" if answer.compiler_version != version else None
