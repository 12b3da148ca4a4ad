"""What the operator decided: client capabilities, budgets, severities, allowlists. No secret ever stands here."""

from cardtrail.events.model.finding import Severity
from cardtrail.events.model.value import Value


class ClientCapabilities(Value):
    """What our side implements: (binding, Major.Minor) pairs, extension URIs, security scheme kinds.

    `any_version` names bindings that match an interface whose version is missing; `schemes` holds kinds (`apiKey`, `http`,
    `oauth2`, `openIdConnect`, `mtls`) or flows (`oauth2/clientCredentials`).
    """

    interfaces: tuple[tuple[str, str], ...] = (
        ("JSONRPC", "1.0"),
        ("JSONRPC", "0.3"),
        ("HTTP+JSON", "1.0"),
        ("HTTP+JSON", "0.3"),
    )
    missing_version_matches: bool = False
    extensions: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ("apiKey", "http", "oauth2", "openIdConnect", "mtls")


class EndpointPolicy(Value):
    """Where an agent's endpoints may be; hosts compare by ASCII lower case, `*.example` covers subdomains.

    `cidrs` lists networks opened for this source; `cleartext` lets http:// endpoints pass; `allowed_hosts` empty = any public.
    """

    allowed_hosts: tuple[str, ...] = ()
    cidrs: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    cleartext: bool = False
    same_origin_only: bool = False


class Policy(Value):
    """Everything a fold needs to know of the operator's will; durations in seconds, counts in observations.

    `grace_s`: how long an unreadable card stays a review before it is unusable. `staleness_s`: how long without a successful
    observation before `agent-unreachable`. `evidence_max_age_s` 0 = evidence is not demanded.
    """

    client: ClientCapabilities = ClientCapabilities()
    endpoints: EndpointPolicy = EndpointPolicy()
    severities: dict[str, Severity | None] = {}
    grace_s: int = 86_400
    staleness_s: int = 172_800
    evidence_max_age_s: int = 0
    flap_window: int = 4
    flap_settle: int = 3
    contradicting_calls: int = 3
    contradicting_of: int = 5
    trusted_keys: dict[str, tuple[str, ...]] = {}
    public_suffix_version: str = ""
