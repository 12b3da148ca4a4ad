"""The members of an Agent Card, message by message, as A2A 1.0 defines them (a2a.proto, tag v1.0.1); cards' messages only.

Notation of the table: `*` REQUIRED, `?` the `optional` keyword; after a colon the type: `bool`, `{Struct}`, a message, `[T]` a
list, `<T>` a map from string; no colon means string.
"""

import re
from typing import Any, Literal, NamedTuple

Kind = Literal["scalar", "list", "map", "message", "struct"]

_FLOW = "refreshUrl scopes{}:<string>"
_TABLE = {
    "AgentCard": "name* description* supportedInterfaces*:[AgentInterface] provider:AgentProvider version* documentationUrl?"
    " capabilities*:AgentCapabilities securitySchemes:<SecurityScheme> securityRequirements:[SecurityRequirement]"
    " defaultInputModes*:[string] defaultOutputModes*:[string] skills*:[AgentSkill] signatures:[AgentCardSignature] iconUrl?",
    "AgentInterface": "url* protocolBinding* tenant protocolVersion*",
    "AgentProvider": "url* organization*",
    "AgentCapabilities": "streaming?:bool pushNotifications?:bool extensions:[AgentExtension] extendedAgentCard?:bool",
    "AgentExtension": "uri description required:bool params:{Struct}",
    "AgentSkill": "id* name* description* tags*:[string] examples:[string] inputModes:[string] outputModes:[string]"
    " securityRequirements:[SecurityRequirement]",
    "AgentCardSignature": "protected* signature* header:{Struct}",
    "SecurityRequirement": "schemes:<StringList>",
    "StringList": "list:[string]",
    "SecurityScheme": "apiKeySecurityScheme:APIKeySecurityScheme httpAuthSecurityScheme:HTTPAuthSecurityScheme"
    " oauth2SecurityScheme:OAuth2SecurityScheme openIdConnectSecurityScheme:OpenIdConnectSecurityScheme"
    " mtlsSecurityScheme:MutualTlsSecurityScheme",
    "APIKeySecurityScheme": "description location* name*",
    "HTTPAuthSecurityScheme": "description scheme* bearerFormat",
    "OAuth2SecurityScheme": "description flows*:OAuthFlows oauth2MetadataUrl",
    "OpenIdConnectSecurityScheme": "description openIdConnectUrl*",
    "MutualTlsSecurityScheme": "description",
    "OAuthFlows": "authorizationCode:AuthorizationCodeOAuthFlow clientCredentials:ClientCredentialsOAuthFlow"
    " implicit:ImplicitOAuthFlow password:PasswordOAuthFlow deviceCode:DeviceCodeOAuthFlow",
    "AuthorizationCodeOAuthFlow": "authorizationUrl* tokenUrl* pkceRequired:bool " + _FLOW.format("*"),
    "ClientCredentialsOAuthFlow": "tokenUrl* " + _FLOW.format("*"),
    "ImplicitOAuthFlow": "authorizationUrl " + _FLOW.format(""),
    "PasswordOAuthFlow": "tokenUrl " + _FLOW.format(""),
    "DeviceCodeOAuthFlow": "deviceAuthorizationUrl* tokenUrl* " + _FLOW.format("*"),
}
_ENTRY = re.compile(r"(?P<name>\w+)(?P<mark>[*?]?)(?::(?P<open>[\[<{]?)(?P<type>\w+)[\]>}]?)?")
_KINDS: dict[str, Kind] = {"[": "list", "<": "map", "{": "struct"}


class Field(NamedTuple):
    """One member: its JSON and proto names, what it holds, and whether absence and default can be told apart.

    `type` is `string`, `bool`, `Struct` or a message: of the member itself, of a list's elements or of a map's values.
    """

    json_name: str
    proto_name: str
    kind: Kind
    type: str
    required: bool
    optional: bool

    @property
    def default(self) -> Any:  # noqa: ANN401 — a JSON value
        """A fresh proto default as JSON: `""`, false, `[]` or `{}`."""
        if self.kind == "scalar":
            return False if self.type == "bool" else ""
        return [] if self.kind == "list" else {}

    @property
    def keeps_default(self) -> bool:
        """Whether a received default is a statement: REQUIRED, `optional`, oneof and message members (A2A §8.4.1)."""
        return self.required or self.optional or self.kind in {"message", "struct"}


def _field(entry: str) -> Field:
    match = _ENTRY.fullmatch(entry)
    if match is None:  # a slip in the table above, found by the first import
        raise ValueError(entry)
    name, type_ = match["name"], match["type"] or "string"
    kind = _KINDS.get(match["open"] or "") or ("scalar" if type_ in {"string", "bool"} else "message")
    proto_name = re.sub(r"([A-Z])", r"_\1", name).lower()
    return Field(name, proto_name, kind, type_, match["mark"] == "*", match["mark"] == "?")


FIELDS: dict[str, tuple[Field, ...]] = {
    message: tuple(_field(entry) for entry in entries.split()) for message, entries in _TABLE.items()
}
BY_SPELLING: dict[str, dict[str, Field]] = {
    message: {name: field for field in fields for name in (field.proto_name, field.json_name)}
    for message, fields in FIELDS.items()
}
