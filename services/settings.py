"""What the operator can set: one frozen `Settings`, every limit with its unit. Reads no file and holds no secret.

Durations are seconds; a text such as `30s`, `5m`, `24h` or `7d` is read as one. Credentials name an environment variable or a
file, never the secret itself.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from cardtrail.events.agent_tracked import DOCUMENT_BYTES, SourceKind, Target, TargetKind
from cardtrail.events.model.finding import Severity
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.events.model.value import Value
from cardtrail.services.contract import SafetyContract
from cardtrail.services.discovery_settings import DiscoverySettings, KeySettings, RegistrySettings, WatchSettings
from cardtrail.services.durations import Seconds
from cardtrail.services.places import unusable
from cardtrail.services.seal_settings import SealSettings

_TARGETS: tuple[TargetKind, ...] = ("domain", "base-url", "card-url", "file", "document")
DEFAULT_INTERVAL_S: dict[SourceKind, int] = {"partner": 86_400, "internal": 3_600, "registry": 21_600, "pinned": 86_400}


class BrokerSettings(Value):
    """Where the log lives: an existing server, or a child of ours that keeps its files under `data`.

    `max_bytes` bounds the streams where they are new, beside the share of the free disk that they take; 0 = that share alone.
    `accounts` closes the child to all but the services and the planners of our workflows, as `cardtrail accounts` prints them.
    """

    url: str = ""
    data: Path = Path("cardtrail-data")
    port: int = Field(default=0, ge=0, le=65_535)
    max_bytes: int = Field(default=0, ge=0)
    accounts: bool = False


class LimitSettings(Value):
    """Caps on what an agent may cost us: bytes, seconds, requests; and on the facts an hour that a workflow's reports may make.

    Fifty planners that call three operations of ten skills in every minute make 90,000.
    """

    card_bytes: int = Field(default=512 * 1024, ge=1_024, le=512 * 1024)
    header_bytes: int = Field(default=32 * 1024, ge=1_024)
    fetch_total_s: float = Field(default=20.0, gt=0, le=600)
    connect_s: float = Field(default=5.0, gt=0, le=60)
    redirects: int = Field(default=0, ge=0, le=5)
    fetchers: int = Field(default=16, ge=1, le=512)
    per_host: int = Field(default=4, ge=1, le=64)
    host_gap_s: float = Field(default=0.25, ge=0, le=60)
    backoff_cap: Seconds = 6 * 3_600
    unconditional_every: Seconds = 7 * 86_400
    report_facts: int = Field(default=100_000, ge=100)


class AgentSettings(WatchSettings):
    """One agent to watch; exactly one of the target members is given."""

    domain: str | None = None
    base_url: str | None = None
    card_url: str | None = None
    file: Path | None = None
    document: dict[str, Any] | str | None = None
    source: SourceKind = "partner"
    interval: Seconds | None = None
    contract: SafetyContract | None = None

    @model_validator(mode="after")
    def _one_target(self) -> "AgentSettings":
        given = [name for name in _TARGETS if getattr(self, name.replace("-", "_")) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(
                f"exactly one of {', '.join(n.replace('-', '_') for n in _TARGETS)} is wanted, found {found}"
            )
        if self.document is not None and len(self.target().value.encode("utf-8", "surrogatepass")) > DOCUMENT_BYTES:
            size = DOCUMENT_BYTES >> 10
            raise ValueError(
                f"the document is larger than {size} KiB. hint: keep it in a file of its own, and name that"
            )
        where = self.domain or self.base_url or self.card_url
        reason = unusable(where) if where else ""
        if reason:
            raise ValueError(f"the {given[0].replace('-', '_')} {reason}")
        return self

    def target(self) -> Target:
        """Where to look, in the words of the event."""
        for kind in _TARGETS:
            value = getattr(self, kind.replace("-", "_"))
            if value is not None:
                return Target(kind=kind, value=value if isinstance(value, str) else _text(value))
        raise AssertionError("a validated agent has a target")

    def interval_s(self) -> int:
        """Seconds between two looks: as set, else by the kind of source."""
        return DEFAULT_INTERVAL_S[self.source] if self.interval is None else self.interval


class WorkflowSettings(Value):
    """A workflow and the lockfiles it depends on, relative to the settings file."""

    lockfiles: tuple[Path, ...]
    principal: str = "public"
    owner: str = ""
    channel: str = ""


class CredentialSettings(Value):
    """A credential by reference: where the secret is read from, and the only hosts it may be sent to.

    `networks` opens private networks to the token URL alone.
    """

    kind: Literal["bearer", "api-key", "basic", "oauth2", "mtls"]
    hosts: tuple[str, ...] = Field(min_length=1)
    env: str | None = None
    file: Path | None = None
    name: str = "Authorization"
    location: Literal["header", "query", "cookie"] = "header"
    username: str = ""
    client_id: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    certificate: Path | None = None


class ChannelSettings(Value):
    """Where owners are told: a webhook, its URL by environment variable where it is a secret itself."""

    kind: Literal["json", "slack"] = "json"
    url: str = ""
    url_env: str = ""
    allow_cleartext: bool = False
    networks: tuple[str, ...] = ()


class ProbeSettings(Value):
    """How often claims are tested, seconds: while they hold, `again` after a contradiction, `retry` where nothing came of it."""

    interval: Seconds = 86_400
    again: Seconds = 3_600
    retry: Seconds = 300
    total_s: float = Field(default=30.0, gt=0, le=300)
    events: int = Field(default=64, ge=2, le=1_000)
    event_bytes: int = Field(default=256 * 1024, ge=65_536, le=4 * 1024 * 1024)
    probers: int = Field(default=8, ge=1, le=256)


class NoticeSettings(Value):
    """How owners are told: the hour (UTC) of the daily digest, and how long an undelivered message is tried, seconds."""

    digest_hour: int = Field(default=7, ge=0, le=23)
    give_up: Seconds = 86_400


class PolicySettings(Value):
    """Budgets and severities that hold for every lock; a severity is a rule id → breaking, review, note or off."""

    grace: Seconds = 86_400
    staleness: Seconds = 2 * 86_400
    evidence_max_age: Seconds = 0
    severities: dict[str, Severity | Literal["off"]] = {}
    contradicting_calls: int = Field(default=3, ge=1)
    contradicting_of: int = Field(default=5, ge=1)


class TlsSettings(Value):
    """Whom to believe: an extra CA bundle (PEM) beside, or with `only` instead of, the public ones; an explicit proxy."""

    ca_bundle: Path | None = None
    only: bool = False
    proxy: str = ""


class WebSettings(Value):
    """The page: loopback unless a token is named; `names` are further Host names that it answers to."""

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    port: int = Field(default=8484, ge=0, le=65_535)
    token_env: str = ""
    read_only: bool = False


class Settings(Value):
    """All of it. The defaults are a working tracker that watches nothing.

    `keys` maps an origin to what may verify its cards; `hosts` maps names to addresses that are asked before the system's
    resolver (still judged).
    """

    broker: BrokerSettings = BrokerSettings()
    client: ClientCapabilities = ClientCapabilities()
    policy: PolicySettings = PolicySettings()
    limits: LimitSettings = LimitSettings()
    probes: ProbeSettings = ProbeSettings()
    notices: NoticeSettings = NoticeSettings()
    tls: TlsSettings = TlsSettings()
    web: WebSettings = WebSettings()
    seal: SealSettings = SealSettings()
    agents: dict[str, AgentSettings] = {}
    workflows: dict[str, WorkflowSettings] = {}
    credentials: dict[str, CredentialSettings] = {}
    channels: dict[str, ChannelSettings] = {}
    keys: dict[str, KeySettings] = {}
    registries: dict[str, RegistrySettings] = {}
    discovery: DiscoverySettings = DiscoverySettings()
    hosts: dict[str, str] = {}

    def policy_fact(self) -> Policy:
        """The part that folds need, as `PolicyDeclared` carries it; no secret, no path."""
        chosen = self.policy
        return Policy(
            client=self.client,
            severities={rule: None if level == "off" else level for rule, level in chosen.severities.items()},
            grace_s=chosen.grace,
            staleness_s=chosen.staleness,
            evidence_max_age_s=chosen.evidence_max_age,
            contradicting_calls=chosen.contradicting_calls,
            contradicting_of=chosen.contradicting_of,
        )


def _text(value: Path | Mapping[str, Any]) -> str:
    from cardtrail.events.fact import dump  # noqa: PLC0415 — only an embedded document needs the encoder

    return str(value) if isinstance(value, Path) else dump(value).decode()
