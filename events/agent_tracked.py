"""AgentTracked and AgentUntracked: what the operator watches, from which source, for which principal."""

from typing import Literal

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.value import Value

SourceKind = Literal["partner", "internal", "registry", "pinned"]
TargetKind = Literal["domain", "base-url", "card-url", "file", "document", "registry"]


DOCUMENT_BYTES = 120 * 1024
"""Most bytes of a document that stands in the fact itself: quoted once more it still fits. A larger one belongs into a file."""


class Target(Value):
    """Where to look: a domain, base URL, card URL, file path, embedded document or registry entry.

    An operator's document is the value itself; a registry's is named by digest (`sha256:` + 64 hex), its bytes lie in the bodies
    stream.
    """

    kind: TargetKind
    value: str


class AgentTracked(AgentEvent):
    """We watch this agent from now on; `interval_s` seconds between looks, `provider` the operator's label."""

    kind = "agent-tracked"
    target: Target
    source_kind: SourceKind = "partner"
    interval_s: int = 86_400
    legacy_path: bool = True
    endpoints: EndpointPolicy = EndpointPolicy()
    credential: str = ""
    provider: str = ""
    registry: str = ""
    registry_metadata: dict[str, str] = {}
    by: str = ""


class AgentUntracked(AgentEvent):
    """We no longer watch this agent; `reason` in a person's words."""

    kind = "agent-untracked"
    reason: str = ""
    by: str = ""
