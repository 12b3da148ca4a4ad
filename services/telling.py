"""The settings told to the log: read with their lockfiles, compared with what was told before, told where they differ."""

from collections.abc import Mapping
from datetime import UTC, datetime

from cardtrail.events import Event, Fact
from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.events.fact import PUBLIC, dump
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services import declare
from cardtrail.services.bus.bus import FACT_CAP, Bus
from cardtrail.services.declared import declared
from cardtrail.services.fresh_id import fresh_id
from cardtrail.services.settings import Settings
from cardtrail.services.verdict.lock import LOCK_LIMITS, read_lock

MOST_BYTES = FACT_CAP - 4_096
"""Of a lock in a fact; the rest is for the fact's own members and headers."""


def read_locks(settings: Settings) -> dict[declare.LockKey, Lockfile]:
    """The lockfiles of all workflows, with the workflow's name, principal, owner and channel where they state none.

    Raises:
        UsageError: one cannot be read, or two are for the same agent.
    """
    found: dict[declare.LockKey, Lockfile] = {}
    for name, flow in settings.workflows.items():
        for path in flow.lockfiles:
            try:
                with path.open("rb") as opened:
                    lock = read_lock(opened.read(LOCK_LIMITS.size + 1), str(path)).lockfile
            except OSError as error:
                raise UsageError(
                    "lock-unreadable",
                    f"{path}: {error.strerror}",
                    hint="cardtrail pin CARD makes one; cardtrail doctor lists all that is missing",
                    path=f"workflows.{name}.lockfiles",
                ) from error
            except InputRefused as error:
                raise UsageError(
                    error.code,
                    error.message,
                    hint=error.hint,
                    file=error.file,
                    line=error.line,
                    column=error.column,
                    path=error.path,
                ) from error
            lock = of_workflow(lock, name, settings)
            must_fit(lock, str(path))
            key = (name, lock.agent, lock.principal)
            if key in found:
                raise UsageError("lock-repeated", f"{path}: {name} already has a lock for {lock.agent}")
            found[key] = lock
    return found


def must_fit(lock: Lockfile, file: str) -> None:
    """A lock is told as one fact.

    Raises:
        UsageError: `lock-too-large`, with the lock's bytes in a fact and the bound.
    """
    size = len(dump(lock.model_dump(mode="json", exclude_defaults=True)))
    if size > MOST_BYTES:
        said = f"the lock has {size} bytes; at most {MOST_BYTES} can be pinned"
        raise UsageError("lock-too-large", said, hint="name fewer stand-ins, or pin with fewer skills", file=file)


def of_workflow(lock: Lockfile, name: str, settings: Settings) -> Lockfile:
    """The lock as this workflow's, with what the settings say of it where the lock says nothing."""
    flow = settings.workflows.get(name)
    if flow is None:
        return lock.model_copy(update={"workflow": name})
    principal = lock.principal if lock.principal != PUBLIC else flow.principal
    told = {"owner": lock.owner or flow.owner, "channel": lock.channel or flow.channel}
    return lock.model_copy(update={**told, "workflow": name, "principal": principal})


async def tell_settings(bus: Bus, settings: Settings, locks: Mapping[declare.LockKey, Lockfile]) -> list[Fact]:
    """Tell what the settings say and the log does not; the facts told."""
    held = await declared(bus)
    events = [
        *declare.policy_fact(settings, held.policy),
        *declare.agent_facts(settings, held.agents, held.gone),
        *declare.lock_facts(locks, held.locks),
    ]
    facts = [operator_fact(event, "settings") for event in events]
    if facts:
        await bus.tell(facts)
    return facts


def operator_fact(event: Event, source: str) -> Fact:
    """A fact told by an operator's tool, now."""
    at = datetime.now(UTC)
    return Fact(id=fresh_id(at), source=f"cardtrail/{source}", time=at, data=event)
