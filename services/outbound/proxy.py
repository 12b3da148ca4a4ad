"""A CONNECT proxy, where the operator names one: it owns resolution then. The environment is asked only with `proxy = "env"`."""

import urllib.request
from urllib.parse import unquote, urlsplit

import httpcore

from cardtrail.events.errors import UsageError
from cardtrail.services.outbound.call import Refused

FROM_ENVIRONMENT = "env"


class Proxy:
    """How calls leave: directly, or through the one proxy; never directly where a proxy was asked for and none is there."""

    def __init__(self, setting: str) -> None:
        """Read the setting: "" (direct), `env`, or an http(s) URL.

        Raises:
            UsageError: `proxy-url`.
        """
        self._wanted = bool(setting)
        url = urllib.request.getproxies().get("https", "") if setting == FROM_ENVIRONMENT else setting
        self._proxy = _parsed(url) if url else None

    def route(self) -> httpcore.Proxy | None:
        """The proxy to go through, None to go directly.

        Raises:
            Refused: `proxy-missing`.
        """
        if self._wanted and self._proxy is None:
            raise Refused("policy", "proxy-missing", "the environment names no proxy", "ours")
        return self._proxy


def _parsed(url: str) -> httpcore.Proxy:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        host, port = None, 0
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError("proxy-url", "the proxy is no http or https URL")  # it may hold a password: it is not shown
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(httpcore.URL(scheme=parts.scheme, host=host, port=port, target="/"), auth=auth)
