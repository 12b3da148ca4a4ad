"""From rows of the dispatch fold to jobs for the broker's schedule. Pure."""

from collections.abc import Mapping
from datetime import datetime

from cardtrail.events.fact import PUBLIC, instant
from cardtrail.projections.projection import Key, Row, Rows
from cardtrail.services.bus.schedules import Due
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.listed import settings_digest

FORCED, ANEW, SCAN = "forced", "anew", "scan"
"""Marks of refresh jobs: ask without conditions; ask although an answer is fresh; walk the registry of that name."""


def wanted(key: Key, row: Row) -> Due:
    """The job of one row, be it an agent's or a registry's."""
    mark = SCAN if SCAN in key[2:] else row.get("mark", "")
    due = datetime.fromisoformat(row["due"])
    return Due(what="refresh", due=due, agent=key[0], principal=key[1], host=row["host"], fingerprint=mark)


def scan_key(registry: str) -> Key:
    """Where the row of a registry stands among those of agents."""
    return (registry, PUBLIC, SCAN)


def begin(registries: Mapping[str, RegistrySettings], table: str, rows: Rows, now: datetime) -> None:
    """Make every registry of the settings due that is new or set up otherwise, and forget those that are not there."""
    for key in [key for key in rows.table(table) if SCAN in key[2:] and key[0] not in registries]:
        rows.delete(table, key)
    for name, registry in registries.items():
        row = rows.get(table, scan_key(name))
        if row is None or row["settings"] != settings_digest(registry):
            rows.put(table, scan_key(name), scan_row(name, now, settings_digest(registry)))


def scan_row(registry: str, due: datetime, settings: str, failures: int = 0) -> Row:
    """The row of a registry; its walk bothers a host of its own in the queue, not those of its agents."""
    return {"due": instant(due), "host": f"registry:{registry}", "failures": failures, "settings": settings}
