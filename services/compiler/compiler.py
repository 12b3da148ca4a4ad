"""The compiler: a fold over observations that tells a profile when it differs, or when somebody waits for it.

Who waits: a lock pinned since the last observation, and whoever saw an attempt fail and now needs to know what another card
says. Bodies are handed in; `wants` says which ones a batch can need.
"""

from collections.abc import Iterable, Mapping

from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked
from cardtrail.events.canonical import digest
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import AgentEvent, Event, Fact, Stored, told_ms
from cardtrail.events.lockfile_pinned import LockfilePinned
from cardtrail.events.policy_declared import PolicyDeclared
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Key, Rows
from cardtrail.services import places
from cardtrail.services.compiler.compiled import Compile
from cardtrail.services.compiler.memory import Answer, Client, Held, Waiting
from cardtrail.services.compiler.observation import NAME, Body, Observation, outdated
from cardtrail.services.kept import drop, load, save

_ONLY: Key = ("-",)
_READS = (AgentTracked, AgentUntracked, CardFetched, CardRefused, LockfilePinned)


class Compiler:
    """A deriver: the same prefix of the log and the same bodies give the same facts with the same ids."""

    name = NAME

    def __init__(self, compiled: Compile, version: str) -> None:
        """Compile with this function, which is this version."""
        self._compiled, self._version = compiled, version

    def wants(self, batch: Iterable[Event], rows: Rows) -> set[Body]:
        """Every body that a batch can need: those it names, and those in hand that may have to be compiled again."""
        wanted: set[Body] = set()
        is_moving, client = False, _client(rows)
        for event in batch:
            is_moving = is_moving or isinstance(event, PolicyDeclared | AgentUntracked)
            if isinstance(event, CardFetched):
                key = (event.agent, event.principal)
                held, answer = load(rows, Held, key) or Held(), load(rows, Answer, key)
                named = {event.raw_digest}
                if (
                    is_moving
                    or not answer
                    or outdated(answer, client, self._version)
                    or not answer.is_of(held.after(event))
                ):
                    named |= {held.raw_digest, answer.raw_digest if answer else ""}
                wanted |= {(*key, raw_digest) for raw_digest in named if raw_digest}
        return wanted

    def derive(self, stored: Stored, rows: Rows, bodies: Mapping[Body, bytes] | None = None) -> tuple[Fact, ...]:
        """Change memory by one fact and tell the profiles that follow from it."""
        event = stored.fact.data
        if isinstance(event, PolicyDeclared):
            _declare(stored, event, rows)
        if not isinstance(event, _READS) or late(stored, rows):
            return ()
        if isinstance(event, CardFetched):
            places.learn(rows, event)
            client = _client(rows)
            return Observation(stored, event, rows, bodies or {}, client, self._compiled, self._version).told()
        _remember(stored, event, rows)
        return ()


def _remember(stored: Stored, event: AgentEvent, rows: Rows) -> None:
    key = (event.agent, event.principal)
    if isinstance(event, AgentTracked):
        places.learn(rows, event)
    elif isinstance(event, AgentUntracked):
        places.forget(rows, event)
        drop(rows, Answer, key)
    elif isinstance(event, CardRefused):
        save(rows, key, (load(rows, Held, key) or Held()).model_copy(update={"refused": True}))
    elif isinstance(event, LockfilePinned):
        for name in (event.agent, *(candidate.agent for candidate in event.lockfile.fallback)):
            save(rows, (places.place(name), event.principal), Waiting(fact=stored.fact.id))


def _client(rows: Rows) -> Client:
    return load(rows, Client, _ONLY) or Client()


def _declare(stored: Stored, event: PolicyDeclared, rows: Rows) -> None:
    order = told_ms(stored.fact.id)
    if order >= _client(rows).order:
        capabilities = event.policy.client
        named = digest(capabilities.model_dump(mode="json"))
        save(rows, _ONLY, Client(capabilities=capabilities, digest=named, order=order))
