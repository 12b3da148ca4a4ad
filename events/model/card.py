"""The one internal form of an Agent Card: A2A 1.0 names in snake_case, whatever shape was served (A2A 1.0.1 §4.4).

A value of these types exists only after parsing, lifting and validation; `at` is the JSON path in the document as served.
"""

from typing import Any, Literal

from cardtrail.events.model.value import Value

Shape = Literal["0.1", "0.2", "0.3", "1.0", "hybrid", "not-a-card"]
SchemeKind = Literal["apiKey", "http", "oauth2", "openIdConnect", "mtls", "unreadable"]
RequirementShape = Literal["1.0", "bare-list", "flat", "0.3", "0.1"]


class AgentInterface(Value):
    """One endpoint (§4.4.6); `protocol_version` is as served, `version` is Major.Minor or None where it has no such form."""

    url: str
    protocol_binding: str
    protocol_version: str = ""
    version: str | None = None
    tenant: str | None = None
    at: str = ""


class AgentProvider(Value):
    """Who serves the agent, in its own words (§4.4.2)."""

    url: str = ""
    organization: str = ""


class AgentExtension(Value):
    """An extension the agent declares (§4.4.4); `params` is any JSON object."""

    uri: str
    description: str = ""
    required: bool = False
    params: dict[str, Any] | None = None
    at: str = ""


class AgentCapabilities(Value):
    """Optional operations (§4.4.3); an absent flag is None and behaves as false (§3.3.4)."""

    streaming: bool | None = None
    push_notifications: bool | None = None
    extended_agent_card: bool | None = None
    extensions: tuple[AgentExtension, ...] = ()
    at: dict[str, str] = {}


class SecurityScheme(Value):
    """A declared scheme (§4.5) in one flat form; `kind` is `unreadable` where the declaration cannot be understood.

    `flow` is one of authorizationCode, clientCredentials, deviceCode, implicit, password (oauth2 only); `scopes` are those the
    flow offers; `urls` maps member name (tokenUrl, authorizationUrl, refreshUrl, deviceAuthorizationUrl, oauth2MetadataUrl,
    openIdConnectUrl) to the URL as served.
    """

    name: str
    kind: SchemeKind
    flow: str | None = None
    location: str | None = None
    parameter: str | None = None
    http_scheme: str | None = None
    bearer_format: str | None = None
    scopes: tuple[str, ...] = ()
    urls: dict[str, str] = {}
    pkce_required: bool = False
    problem: str | None = None
    at: str = ""


class SecurityRequirement(Value):
    """One alternative: every named scheme must be met (AND) with the scopes listed; no schemes means anonymous access."""

    schemes: dict[str, tuple[str, ...]] = {}
    shape: RequirementShape = "1.0"
    at: str = ""


class AgentSkill(Value):
    """A skill (§4.4.5). Empty modes mean the card's defaults; `security` None means that the skill states none."""

    id: str
    name: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    input_modes: tuple[str, ...] = ()
    output_modes: tuple[str, ...] = ()
    security_requirements: tuple[SecurityRequirement, ...] | None = None
    at: str = ""


class AgentCardSignature(Value):
    """A JWS over the card (§4.4.7): base64url protected header and signature, unprotected header as served."""

    protected: str
    signature: str
    header: dict[str, Any] | None = None
    at: str = ""


class AgentCard(Value):
    """A usable card in internal form (§4.4.1); `legacy_security` is the digest of a 0.1 `authentication` nobody can read."""

    shape: Shape
    name: str = ""
    description: str = ""
    version: str = ""
    supported_interfaces: tuple[AgentInterface, ...] = ()
    provider: AgentProvider | None = None
    documentation_url: str | None = None
    icon_url: str | None = None
    capabilities: AgentCapabilities = AgentCapabilities()
    security_schemes: dict[str, SecurityScheme] = {}
    security_requirements: tuple[SecurityRequirement, ...] = ()
    legacy_security: str = ""
    default_input_modes: tuple[str, ...] = ()
    default_output_modes: tuple[str, ...] = ()
    skills: tuple[AgentSkill, ...] = ()
    signatures: tuple[AgentCardSignature, ...] = ()
    unknown_members: tuple[str, ...] = ()
    at: dict[str, str] = {}
