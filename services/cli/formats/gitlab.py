"""GitLab Code Quality: an array in which every entry has all its fields, or nothing is shown."""

import hashlib
from typing import Any

from cardtrail.events.errors import CardtrailError
from cardtrail.services.cli.formats.place import path
from cardtrail.services.cli.formats.report import Place, Remark, Report, Section
from cardtrail.services.cli.formats.words import facts, message
from cardtrail.services.cli.shell.console import Style, as_json
from cardtrail.services.cli.shell.text import plain

_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report, style: Style) -> str:
    """What could not be judged, then all findings, worst first."""
    del style
    failures = [_failure(section, error) for section, error in report.failures()]
    return as_json([*failures, *(_entry(section, remark) for section, remark in report.remarks())]) + "\n"


def _failure(section: Section, error: CardtrailError) -> dict[str, Any]:
    parts = (plain(part, 500) for part in (error.message, error.hint, section.card and f"card {section.card}") if part)
    return {
        "description": " · ".join(parts),
        "check_name": plain(error.code),
        "fingerprint": _digest(section.workflow, section.card, error.code, error.path),
        "severity": "blocker",
        "location": _location(section.failed_at),
    }


def _entry(section: Section, remark: Remark) -> dict[str, Any]:
    parts = [message(remark), *(f"{name} {value}" for name, value in facts(remark)), f"card {plain(section.card)}"]
    return {
        "description": " · ".join(parts),
        "check_name": plain(remark.rule),
        "fingerprint": remark.fingerprint or _digest(section.card, remark.rule, remark.path, remark.subject),
        "severity": _SEVERITIES[remark.level],
        "location": _location(remark.place),
    }


def _location(place: Place) -> dict[str, Any]:
    return {"path": path(place.file), "lines": {"begin": max(1, place.line)}}


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
