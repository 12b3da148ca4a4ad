"""From a walk over a registry to facts: who is watched because of it, who no longer is, and what the walk was like. Pure.

A registry's word is a claim: it says where to look, never what an agent can do. Its tenant chooses among its entries and stays
with them as metadata; the tenant that calls carry comes from the card's interface alone.
"""

from collections.abc import Callable, Container, Iterator, Mapping

from cardtrail.events import AgentTracked, AgentUntracked, Event, RegistryScanned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import digest, raw_digest
from cardtrail.services.declare import AgentKey
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.candidate import Candidate, EntryRefused
from cardtrail.services.fetcher.registry_walk import Walk
from cardtrail.services.outbound.address import judge_url

_LONGEST_ID = 512
_MOST_NAMED = 500
_NOT_OURS = frozenset({"not-approved", "hidden", "tenant-differs", "tags-differ", "watched-already", "listed-twice"})
"""Why an entry is none of ours although it can be read: whoever was watched because of it is watched no more."""
Watched = Callable[[str, str], bool]
"""Whether a card URL is watched for a principal already, under a name that is not this registry's."""


def told_by(registry: str) -> str:
    """Who tells that an agent of this registry is watched."""
    return f"registry:{registry}"


def agent_name(registry: str, candidate: Candidate) -> str:
    """The agent's name: the registry's, then the entry's id, then its tenant where it states one.

    No two entries share a name, whatever they call themselves: an id with an @ in it ends in one where it has no tenant.
    """
    tenant = f"@{candidate.tenant}" if candidate.tenant is not None else ""
    return f"{registry}/{candidate.registry_id}{tenant or '@' * ('@' in candidate.registry_id)}"


def settings_digest(registry: RegistrySettings) -> str:
    """What tells that a registry was set up otherwise: it is walked again at once then."""
    return digest(registry.model_dump(mode="json"))


def judged(
    name: str, registry: RegistrySettings, candidates: tuple[Candidate, ...], watched: Watched
) -> Iterator[AgentTracked | EntryRefused]:
    """Each entry as an agent to watch, once per principal, or why it is none."""
    seen: set[str] = set()
    for candidate in candidates:
        url = judge_url(candidate.card_url or "", registry.endpoints())
        free = [one for one in registry.principals if candidate.card_url is None or not watched(url.url, one)]
        reason = _refusal(registry, candidate) or ("" if free else "watched-already")
        if candidate.card_url is not None:
            reason = reason or url.reason or ("listed-twice" if url.url in seen else "")
            seen.add(url.url)
        if reason:
            detail = (candidate.card_url or "")[:200]
            yield EntryRefused(registry_id=candidate.registry_id[:_LONGEST_ID], reason=reason, detail=detail)
        else:
            yield from (_tracked(name, registry, candidate, principal) for principal in free)


def scanned(  # noqa: PLR0913, PLR0917 — the registry, what it said, and what the log says of it
    name: str,
    registry: RegistrySettings,
    walk: Walk,
    held: Mapping[AgentKey, AgentTracked],
    gone: Mapping[AgentKey, bool],
    watched: Watched,
) -> list[Event]:
    """The facts of one walk, `RegistryScanned` last; only a complete one ends the watching of agents that it does not name."""
    theirs = {key for key, event in held.items() if event.by != told_by(name) and not gone.get(key, True)}
    found = [_named(one, theirs) for one in judged(name, registry, walk.candidates, watched)]
    wanted = {(one.agent, one.principal): one for one in found if isinstance(one, AgentTracked)}
    refused = (*walk.refused, *(one for one in found if isinstance(one, EntryRefused)))
    events: list[Event] = [event for key, event in wanted.items() if gone.get(key, True) or held.get(key) != event]
    own = {key: event for key, event in held.items() if event.by == told_by(name) and not gone.get(key, True)}
    if walk.complete:
        events += _ended(name, registry, own, wanted, refused)
    agents = tuple(sorted({agent for agent, _ in wanted})[:_MOST_NAMED])
    report = RegistryScanned(
        registry=name,
        complete=walk.complete,
        candidates=len(walk.candidates),
        refused=len(refused),
        problem=walk.problem[:300],
        agents=agents,
        interval_s=registry.every,
        settings_digest=settings_digest(registry),
    )
    return [*events, report]


def _named(one: AgentTracked | EntryRefused, theirs: Container[AgentKey]) -> AgentTracked | EntryRefused:
    """The same, but where somebody else has given that name to an agent: no registry takes it from them."""
    if isinstance(one, EntryRefused) or (one.agent, one.principal) not in theirs:
        return one
    return EntryRefused(registry_id=one.registry_metadata["registry_id"], reason="name-taken", detail=one.agent[:200])


def _tracked(name: str, registry: RegistrySettings, candidate: Candidate, principal: str) -> AgentTracked:
    target = Target(kind="card-url", value=candidate.card_url or "")
    if candidate.card_document is not None:
        target = Target(kind="document", value=raw_digest(candidate.document()))
    return AgentTracked(
        agent=agent_name(name, candidate),
        principal=principal,
        target=target,
        source_kind="registry",
        interval_s=registry.interval,
        legacy_path=registry.legacy_path,
        endpoints=registry.endpoints(),
        credential=registry.credentials.get(principal, ""),
        provider=registry.provider,
        registry=name,
        registry_metadata=candidate.metadata(),
        by=told_by(name),
    )


def _refusal(registry: RegistrySettings, candidate: Candidate) -> str:
    if not candidate.registry_id.isprintable() or len(candidate.registry_id) > _LONGEST_ID:
        return "id-unusable"
    tenant = candidate.tenant or ""
    if not tenant.isprintable() or len(tenant) > _LONGEST_ID or "@" in tenant:
        return "tenant-unusable"
    if registry.tenant is not None and candidate.tenant != registry.tenant:
        return "tenant-differs"
    return "tags-differ" if registry.tags and not set(registry.tags) & set(candidate.tags or ()) else ""


def _ended(
    name: str,
    registry: RegistrySettings,
    own: Mapping[AgentKey, AgentTracked],
    wanted: Mapping[AgentKey, AgentTracked],
    refused: tuple[EntryRefused, ...],
) -> Iterator[AgentUntracked]:
    """Agents that the registry no longer names, or has withdrawn; one whose entry is merely broken stays."""
    broken = {one.registry_id for one in refused if one.reason not in _NOT_OURS}
    for key, event in own.items():
        if key in wanted:
            continue
        is_listed = event.registry_metadata.get("registry_id") in broken
        if is_listed and key[1] in registry.principals:
            continue
        yield AgentUntracked(agent=key[0], principal=key[1], reason=f"no longer in {name}", by=told_by(name))
