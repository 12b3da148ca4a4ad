"""The registries that can be read: one line each. An adapter is pure: pages in, candidates out."""

from cardtrail.services.fetcher.candidate import Source
from cardtrail.services.fetcher.sources.a2a_registry import A2aRegistry
from cardtrail.services.fetcher.sources.ai_catalog import AiCatalog
from cardtrail.services.fetcher.sources.nacos import Nacos
from cardtrail.services.fetcher.sources.plain_list import PlainList
from cardtrail.services.registry_place import registry_place

_ALL: tuple[Source, ...] = (PlainList(), AiCatalog(), A2aRegistry(), Nacos())
SOURCES: dict[str, Source] = {source.name: source for source in _ALL}


def source_of(registry: str) -> tuple[Source, str]:
    """The adapter and the place that a registry setting means. Raises as `registry_place`."""
    kind, place = registry_place(registry)
    return SOURCES[kind], place
