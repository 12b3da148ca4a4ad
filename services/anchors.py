"""Whom the operator believes about signatures: `[keys]` of the settings, with what the files hold."""

from collections.abc import Mapping

from cardtrail.events.errors import UsageError
from cardtrail.services.card.key_store import Anchor
from cardtrail.services.card.keys import KeySet, parse_keys
from cardtrail.services.discovery_settings import KeySettings
from cardtrail.services.regular_file import regular_file


def anchors(settings: Mapping[str, KeySettings]) -> list[Anchor]:
    """One for each origin.

    Raises:
        UsageError: `file-unreadable`, or as `parse_keys` for a file that holds no keys.
    """
    return [_anchor(origin, held) for origin, held in settings.items()]


def _anchor(origin: str, held: KeySettings) -> Anchor:
    keys = KeySet()
    if held.file is not None:
        try:
            keys = parse_keys(regular_file(held.file).read_bytes(), file=str(held.file))
        except OSError as error:
            reason = f"no key set: {error.strerror}"
            raise UsageError("file-unreadable", reason, file=str(held.file), path=f"keys.{origin}.file") from error
    return Anchor(origin=origin, keys=keys, urls=held.urls, revoked=held.revoked)
