"""How a client proves to the broker who it is: user and password, a credentials file (JWT and seed), or a token."""

import ssl
from pathlib import Path

from faststream.nats.security import NatsCredentials, NatsToken, NatsUserPassword
from faststream.security import BaseSecurity
from pydantic import Field

from cardtrail.events.errors import UsageError
from cardtrail.events.model.value import Value
from cardtrail.services.bus.names import JS_DOMAIN


class Login(Value):
    """One of `user` with `password`, `file` (a NATS credentials file) or `token`; `ca_file` (PEM) asks for TLS.

    `domain` is the JetStream domain of `cardtrail accounts`; empty where planners share the services' account.
    Never printed: a secret's text is left out wherever the value is shown.
    """

    user: str = ""
    password: str = Field(default="", repr=False)
    token: str = Field(default="", repr=False)
    file: Path | None = None
    domain: str = JS_DOMAIN
    ca_file: Path | None = None


def security(login: Login | None) -> BaseSecurity | None:
    """The same in FastStream's words, None where nothing has to be proven.

    Raises:
        UsageError: `login-unusable`, a file that cannot be used, or a library for it that is missing.
    """
    if login is None:
        return None
    try:
        context = ssl.create_default_context(cafile=str(login.ca_file)) if login.ca_file else None
        if login.file is not None:
            login.file.read_bytes()
            return NatsCredentials(str(login.file), ssl_context=context)
        if login.token:
            return NatsToken(login.token, ssl_context=context)
        if login.user:
            return NatsUserPassword(login.user, login.password, ssl_context=context)
        return BaseSecurity(ssl_context=context)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError("login-unusable", f"the credentials for the broker cannot be used: {error}") from error
