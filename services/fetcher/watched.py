"""What a walk over a registry must know of the agents that others have named: nobody is watched twice for one principal. Pure."""

from collections.abc import Mapping, Sequence

from cardtrail.events import AgentTracked
from cardtrail.projections.projection import Key, Row
from cardtrail.services import places
from cardtrail.services.fetcher import locate
from cardtrail.services.fetcher.listed import Watched
from cardtrail.services.kept import read
from cardtrail.services.places import Holder


def watching(agents: Sequence[AgentTracked], found_at: Mapping[Key, Row]) -> Watched:
    """Whether one of these agents is looked for at a URL, or (`found_at`, rows of `places.Holder`) was found there."""
    names = {(event.agent, event.principal) for event in agents}
    sought = {
        (places.place(at.url), event.principal)
        for event in agents
        for at in locate.places(event.target, legacy_path=event.legacy_path)
    }

    def watched(url: str, principal: str) -> bool:
        place = (places.place(url), principal)
        holder = read(Holder, found_at.get(place))
        return place in sought or (holder is not None and (holder.agent, principal) in names)

    return watched
