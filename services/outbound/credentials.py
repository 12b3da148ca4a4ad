"""Ways to be let in: bearer token, API key, HTTP basic, mutual TLS. A secret is read when it is used and kept nowhere.

What is stored is where the secret lies (an environment variable or a file), so nothing here can print one.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote_plus

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.call import Attachment, Credential, Send
from cardtrail.services.outbound.oauth import ClientCredentials
from cardtrail.services.outbound.secret import Secret, basic
from cardtrail.services.settings import CredentialSettings


@dataclass(frozen=True, slots=True)
class StaticCredential:
    """A secret sent as it is. `parameter` names the header, query parameter or cookie of an API key."""

    name: str
    hosts: tuple[str, ...]
    kind: Literal["bearer", "api-key", "basic", "mtls"]
    secret: Secret = field(default_factory=Secret)
    parameter: str = "Authorization"
    location: Literal["header", "query", "cookie"] = "header"
    username: str = ""
    client_certificate: tuple[Path, Path] | None = None

    async def attach(self, send: Send) -> Attachment:  # noqa: ARG002 — the protocol's signature
        """The header, query parameter or cookie that carries the secret."""
        if self.kind == "mtls":
            return Attachment()
        value = self.secret.reveal()
        if self.kind == "bearer":
            return Attachment({"Authorization": f"Bearer {value}"}, hidden=(value,))
        if self.kind == "basic":
            sent = basic(self.username, value)
            return Attachment({"Authorization": sent}, hidden=(value, sent.removeprefix("Basic ")))
        if self.location == "query":
            return Attachment(query=((self.parameter, value),), hidden=(value, quote_plus(value)))
        if self.location == "cookie":
            return Attachment({"Cookie": f"{self.parameter}={value}"}, hidden=(value,))
        return Attachment({self.parameter: value}, hidden=(value,))

    def rejected(self) -> None:
        """Nothing was fetched, nothing to forget."""


def build(name: str, settings: CredentialSettings) -> Credential:
    """The credential that the operator configured under `name`."""
    secret = Secret(settings.env or "", settings.file)
    if settings.kind == "oauth2":
        policy = EndpointPolicy(cidrs=settings.networks)
        token_url, scopes = settings.token_url, settings.scopes
        return ClientCredentials(name, settings.hosts, settings.client_id, secret, token_url, scopes, policy)
    pair = None
    if settings.kind == "mtls" and settings.certificate is not None:
        pair = (settings.certificate, settings.file or settings.certificate)
    return StaticCredential(
        name, settings.hosts, settings.kind, secret, settings.name, settings.location, settings.username, pair
    )
