"""Whom TLS believes: the system's authorities (certifi's where the system has none), the operator's bundle beside or instead."""

import logging
import ssl
from pathlib import Path

import certifi

from cardtrail.events.errors import UsageError
from cardtrail.services.outbound.call import Refused
from cardtrail.services.regular_file import regular_file
from cardtrail.services.settings import TlsSettings

log = logging.getLogger("cardtrail.outbound")
Stamp = tuple[tuple[int, int], tuple[int, int]]
"""Of a certificate and its key."""


class Trust:
    """The TLS contexts of one door: one for everybody, one more per client certificate.

    A bundle that is replaced counts from the next call on; while it cannot be read, what it held before does.
    """

    def __init__(self, tls: TlsSettings) -> None:
        """Read the authorities.

        Raises:
            UsageError: `tls-bundle`, where the operator's bundle cannot be read as PEM.
        """
        self._tls = tls
        self._bundle = _bundle(tls)
        self._plain = _context(tls)
        self._mutual: dict[tuple[Path, Path], tuple[Stamp, ssl.SSLContext]] = {}

    def context(self, certificate: tuple[Path, Path] | None) -> ssl.SSLContext:
        """The context to connect with; `certificate` is (certificate, key) in PEM, read again when its files have changed.

        Raises:
            Refused: `credential-missing`, where the client certificate cannot be read; `tls-bundle`, where it was renewed while
                the bundle cannot be.
        """
        self._renew()
        if certificate is None:
            return self._plain
        try:
            stamp = (_stamp(certificate[0]), _stamp(certificate[1]))
            held = self._mutual.get(certificate)
            if held is None or held[0] != stamp:
                made = _context(self._tls)
                made.load_cert_chain(*certificate)
                held = self._mutual[certificate] = (stamp, made)
        except (OSError, ssl.SSLError) as error:
            raise Refused("authenticate", "credential-missing", f"{certificate[0]}: {error}", "ours") from None
        except UsageError as error:
            raise Refused("connect", error.code, error.message, "ours") from None
        return held[1]

    def _renew(self) -> None:
        bundle = _bundle(self._tls)
        if bundle == self._bundle:
            return
        self._bundle = bundle
        try:
            self._plain = _context(self._tls)
        except UsageError as error:
            log.warning("%s: %s; what it held before counts on", error.file, error.message)
        else:
            self._mutual.clear()


def _bundle(tls: TlsSettings) -> tuple[int, int] | None:
    """What changes with the operator's bundle; None where there is none."""
    try:
        return _stamp(tls.ca_bundle) if tls.ca_bundle is not None else None
    except OSError:
        return None


def _stamp(file: Path) -> tuple[int, int]:
    """What changes when a file is written anew or replaced."""
    status = file.stat()
    return status.st_mtime_ns, status.st_ino


def _context(tls: TlsSettings) -> ssl.SSLContext:
    """Certificates and host names are checked, TLS 1.2 or newer."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if not (tls.only and tls.ca_bundle):
        made.load_default_certs()
        if not made.cert_store_stats()["x509_ca"]:
            made.load_verify_locations(certifi.where())
    try:
        if tls.ca_bundle is not None:
            made.load_verify_locations(regular_file(tls.ca_bundle))
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or "no PEM certificates"
        raise UsageError(
            "tls-bundle", f"no readable CA bundle: {reason}", file=str(tls.ca_bundle), path="tls.ca_bundle"
        ) from error
    return made
