"""Who may ask, from where, and what a browser may do with an answer. Pure decisions, and one middleware that applies them.

Against DNS rebinding only names that nobody else can point at us are answered to: `localhost`, addresses as such, and the names
that the settings know. Beyond loopback a token is needed; without one the page does not start.
"""

import hmac
import ipaddress
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import cookie_parser

from cardtrail.events.errors import UsageError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
COOKIE = "cardtrail"
_SHORTEST = 16


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def secret(host: str, token_env: str, environment: Mapping[str, str]) -> str:
    """The token that everybody must bring, "" on loopback without one.

    Raises:
        UsageError: `web-exposed`, reachable from elsewhere without a token; `web-token`, none or a short one in its variable.
    """
    if not token_env:
        if is_loopback(host):
            return ""
        hint = 'keep host = "127.0.0.1", or name a variable: token_env = "CARDTRAIL_WEB_TOKEN"'
        raise UsageError(
            "web-exposed", f"the page would be open to everybody who reaches {host}", hint=hint, path="web.host"
        )
    token = environment.get(token_env, "")
    if len(token) < _SHORTEST:
        hint = f'{token_env}="$(openssl rand -hex 24)"'
        message = f"{token_env} must hold a token of at least {_SHORTEST} characters"
        raise UsageError("web-token", message, hint=hint, path="web.token_env")
    return token


def host_allowed(header: str, names: frozenset[str]) -> bool:
    """Whether a Host header names us in a way that no foreign DNS record can."""
    try:
        host = urlsplit(f"//{header}").hostname or ""
        urlsplit(f"//{header}").port  # noqa: B018 — a port that is none raises
    except ValueError:
        return False
    if any(mark in header for mark in "/@?#\\ "):
        return False
    if host == "localhost" or host.endswith(".localhost") or host in names:
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a write comes from a page of ours, or from a program that is no browser (it still needs the form's token)."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


def held(cookies: str) -> str:
    """The value of our own cookie in a Cookie header, "" without one; those of other programs on this host may be anything."""
    return cookie_parser(cookies).get(COOKIE, "")


def session(token: str) -> str:
    """What a browser keeps instead of the token."""
    return hmac.new(token.encode(), b"cardtrail session", sha256).hexdigest()


def admitted(token: str, authorization: str, cookie: str) -> bool:
    """Whether the request brings the token, or the cookie that stands for it."""
    if not token:
        return True
    kind, _, given = authorization.partition(" ")
    bearer = kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
    return bearer or hmac.compare_digest(cookie.encode(), session(token).encode())


def local_path(text: str) -> str:
    """A path of this page to go back to, `/` for anything else."""
    plain = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and "\\" not in text
    return text if plain else "/"
