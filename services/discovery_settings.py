"""What the operator can set about discovery and trust: registries, keys by origin, who may be chosen, what a spike is."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.value import Value
from cardtrail.services.durations import Seconds


class WatchSettings(Value):
    """How an agent, or each agent of a registry, is watched: as whom, with which credential, and where it may be."""

    principals: tuple[str, ...] = ("public",)
    credentials: dict[str, str] = {}
    legacy_path: bool = True
    provider: str = ""
    allowed_hosts: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    cleartext: bool = False
    same_origin_only: bool = False

    def endpoints(self) -> EndpointPolicy:
        """Where card and endpoints, and the registry itself, may be."""
        return EndpointPolicy(
            allowed_hosts=self.allowed_hosts,
            cidrs=self.networks,
            ports=self.ports,
            cleartext=self.cleartext,
            same_origin_only=self.same_origin_only,
        )


class RegistrySettings(WatchSettings):
    """A registry and how its agents are watched; `source` is `KIND:PLACE`, or the place of a plain list.

    `tags` and `tenant` choose among its entries (any of the tags; the registry's own tenant, which no call ever carries);
    `credential` is for the registry, `credentials` are for the agents by principal. `every` seconds lie between two scans,
    `interval` between two looks at one agent.
    """

    source: str
    every: Seconds = 21_600
    interval: Seconds = 21_600
    tags: tuple[str, ...] = ()
    tenant: str | None = None
    credential: str = ""


class KeySettings(Value):
    """The keys that may verify the cards of one origin: a JWKS file, JWKS URLs, and kids or thumbprints never to be believed.

    `networks` opens private networks to the URLs.
    """

    file: Path | None = None
    urls: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _file_alone(cls, value: object) -> object:
        return {"file": value} if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.file is None and not self.urls:
            raise ValueError('no keys. hint: write file = "keys.json" or urls = ["https://…"]')
        return self


class SpikeSettings(Value):
    """When refused cards are too many: `least` of one kind within `window`, and `factor` times the usual of `baseline` before.

    Counted by quarters of an hour; two days of them are kept.
    """

    window: Annotated[Seconds, Field(ge=900, le=43_200)] = 3_600
    baseline: Annotated[Seconds, Field(ge=3_600, le=129_600)] = 86_400
    factor: float = Field(default=4.0, gt=1)
    least: int = Field(default=10, ge=1)


class DiscoverySettings(Value):
    """Who may be chosen at all: agents or hosts in `allow` (empty = all), credential hosts beside the agent's own site.

    `costs` are the operator's own numbers per call and agent, in one unit, for ranking alone. A key set's URL is asked again
    after `key_lifetime`, or once for an unknown kid and then not within `key_cooldown`; while it does not answer, its keys serve
    on for `key_stale`.
    """

    allow: tuple[str, ...] = ()
    token_hosts: tuple[str, ...] = ()
    costs: dict[str, float] = {}
    key_lifetime: Seconds = 3_600
    key_stale: Seconds = 86_400
    key_cooldown: Seconds = 300
    spikes: SpikeSettings = SpikeSettings()
