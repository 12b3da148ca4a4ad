"""What the settings name that must be there, and what of it ends by itself."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from cryptography import x509

from cardtrail.events.errors import CardtrailError
from cardtrail.services.card.keys import KeySet, parse_keys
from cardtrail.services.outbound.trust import Trust
from cardtrail.services.regular_file import regular_file
from cardtrail.services.settings import Settings
from cardtrail.services.telling import read_locks


def problems(settings: Settings) -> list[str]:
    """What is named and not there, or not what it should be; no secret in it."""
    found = [f"{name}: {path} is not there" for name, path in _named(settings) if not path.exists()]
    for attempt in (lambda: read_locks(settings), lambda: _keys(settings), lambda: _authorities(settings)):
        try:
            attempt()
        except CardtrailError as error:
            found.append(error.message if str(error.file) in error.message else f"{error.file}: {error.message}")
        except OSError:
            continue  # said above: it is not there
    return found


def expiries(settings: Settings) -> dict[str, datetime]:
    """Key or certificate → when it ends, as far as it says so."""
    found: dict[str, datetime] = {}
    with suppress(CardtrailError, OSError):
        for origin, keys in _keys(settings).items():
            ends = {f"key {key.kid or key.thumbprint} of {origin}": key.expires for key in keys.keys}
            found |= {name: end for name, end in ends.items() if end is not None}
    for name, path in _certificates(settings):
        try:
            held = x509.load_pem_x509_certificates(regular_file(path).read_bytes())
        except (ValueError, OSError):
            continue
        found |= {f"{name} {one.subject.rfc4514_string()}": one.not_valid_after_utc for one in held}
    return found


def _keys(settings: Settings) -> dict[str, KeySet]:
    files = {origin: held.file for origin, held in settings.keys.items() if held.file}
    return {origin: parse_keys(regular_file(path).read_bytes(), file=str(path)) for origin, path in files.items()}


def _authorities(settings: Settings) -> None:
    bundle = settings.tls.ca_bundle
    if bundle is not None and bundle.exists():
        Trust(settings.tls)


def _named(settings: Settings) -> Iterator[tuple[str, Path]]:
    yield from _certificates(settings)
    yield from ((f"keys.{origin}", held.file) for origin, held in settings.keys.items() if held.file)
    for name, agent in settings.agents.items():
        if agent.file:
            yield f"agents.{name}.file", agent.file
    for name, held in settings.credentials.items():
        if held.file:
            yield f"credentials.{name}.file", held.file


def _certificates(settings: Settings) -> Iterator[tuple[str, Path]]:
    if settings.tls.ca_bundle:
        yield "tls.ca_bundle", settings.tls.ca_bundle
    for name, held in settings.credentials.items():
        if held.certificate:
            yield f"credentials.{name}.certificate", held.certificate
