"""From every exception the transport can raise to a stage, a reason and whose fault it is; nothing foreign leaves the door."""

import re
import ssl

import httpcore

from cardtrail.events.card_refused import Stage
from cardtrail.services.outbound.call import Fault, Refused

Mapped = tuple[Stage, str, Fault]

FAULTS: dict[type[Exception], Mapped] = {
    httpcore.ConnectTimeout: ("connect", "connect-timeout", "network"),
    httpcore.ReadTimeout: ("fetch", "read-timeout", "network"),
    httpcore.WriteTimeout: ("fetch", "write-timeout", "network"),
    httpcore.PoolTimeout: ("connect", "door-busy", "ours"),
    httpcore.TimeoutException: ("fetch", "read-timeout", "network"),
    httpcore.ConnectError: ("connect", "connect-failed", "network"),
    httpcore.ReadError: ("fetch", "connection-lost", "network"),
    httpcore.WriteError: ("fetch", "connection-lost", "network"),
    httpcore.NetworkError: ("fetch", "connection-lost", "network"),
    httpcore.ProxyError: ("connect", "proxy-refused", "ours"),
    httpcore.UnsupportedProtocol: ("policy", "scheme", "ours"),
    httpcore.LocalProtocolError: ("fetch", "request-invalid", "ours"),
    httpcore.RemoteProtocolError: ("fetch", "protocol-broken", "provider"),
    httpcore.ProtocolError: ("fetch", "protocol-broken", "provider"),
    httpcore.ConnectionNotAvailable: ("connect", "door-busy", "ours"),
    TimeoutError: ("fetch", "total-timeout", "network"),
    ssl.SSLError: ("fetch", "tls-failed", "provider"),
    OSError: ("fetch", "connection-lost", "network"),
}
STALE = (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError)
"""What a kept connection raises when the server has closed it meanwhile: worth one fresh connection."""

_CERTIFICATE = {
    10: "certificate-expired",
    9: "certificate-expired",
    62: "certificate-wrong-host",
    64: "certificate-wrong-host",
}
_TOO_LARGE = 431
_ENDED = ("peer closed connection", "Server disconnected")
"""How the transport begins its word for a connection that the server closed before the answer was whole, or had begun."""
_SAID = {
    "connect-timeout": "no connection in the time allowed",
    "connection-lost": "the connection ended before the answer did",
    "read-timeout": "nothing more came for too long",
    "total-timeout": "no whole answer in the time allowed",
}
"""What a person is told where the exception itself says nothing."""
_BYTES = re.compile(r"bytearray\(b(.*)\)", re.DOTALL)
_QUOTED = re.compile(r"(bytearray\(b|\bb)['\"].*", re.DOTALL)
_TELLING = (ssl.SSLError, ConnectionRefusedError)
_WAITING = (ssl.SSLWantReadError, ssl.SSLWantWriteError)  # how the TLS layer asks for more bytes: no fault at all


def refused(error: Exception, *, quoting: bool = True) -> Refused:
    """The refusal that an exception stands for; one nobody listed is `unexpected-error`, ours, with its type's name.

    Without `quoting`, what a broken answer said is left out of the words: it may repeat what was sent.
    """
    cause = _root(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Refused("connect", _CERTIFICATE.get(cause.verify_code, "certificate-untrusted"), cause.verify_message)
    if isinstance(cause, ssl.SSLError):
        return Refused("connect", "tls-failed", str(getattr(cause, "reason", None) or "handshake"))
    if isinstance(cause, ConnectionRefusedError):
        return Refused("connect", "connect-refused", "nothing listens there", "network")
    if isinstance(error, httpcore.RemoteProtocolError) and _hint(error) == _TOO_LARGE:
        return Refused("fetch", "headers-too-large", "beyond the transport's own limit")
    if isinstance(error, httpcore.RemoteProtocolError) and str(error).startswith(_ENDED):
        return Refused("fetch", "connection-lost", str(error)[:200], "network")
    for kind in type(error).__mro__:
        if kind in FAULTS:
            stage, reason, fault = FAULTS[kind]
            return Refused(stage, reason, _told(error, quoting=quoting) or _SAID.get(reason, ""), fault)
    return Refused("fetch", "unexpected-error", type(error).__name__, "ours")


def _told(error: Exception, *, quoting: bool) -> str:
    """The exception's own words; bytes that it quotes stand there as a text, or not at all."""
    said = str(error)
    return (_BYTES.sub(r"\1", said) if quoting else _QUOTED.sub("…", said))[:200]


def _root(error: BaseException) -> BaseException:
    """The TLS or refused-connection error behind a network error, itself where there is none."""
    seen: BaseException | None = error if isinstance(error, httpcore.NetworkError | ssl.SSLError) else None
    while seen is not None:
        if isinstance(seen, _TELLING) and not isinstance(seen, _WAITING):
            return seen
        seen = seen.__cause__ or seen.__context__
    return error


def _hint(error: Exception) -> int:
    """The status h11 would answer with: 431 tells a header block that outgrew its buffer."""
    return int(getattr(error.args[0] if error.args else None, "error_status_hint", 0))
