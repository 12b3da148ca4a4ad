"""The last state of a planner in a file: what it goes by while there is no broker. One JSON document, replaced whole."""

import contextlib
import logging
import os
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, ValidationError

from cardtrail.events.fact import dump
from cardtrail.events.model.value import Value
from cardtrail.services.planner.values import CurrentProfile, Route

log = logging.getLogger("cardtrail.planner")
_MOST_BYTES = 64 << 20


class Saved(Value):
    """What was known of a workflow; `known_at` is when that was last true, `through` the log's sequence behind it."""

    format: Literal["cardtrail.planner-snapshot/1"] = "cardtrail.planner-snapshot/1"
    workflow: str
    principal: str
    known_at: AwareDatetime
    saved_at: AwareDatetime
    through: int
    routes: tuple[Route, ...]
    profiles: tuple[CurrentProfile, ...] = ()


def load(path: Path, workflow: str, principal: str) -> Saved | None:
    """What the file holds for this workflow and principal; None (and a warning) where that is nothing that can be used."""
    try:
        with path.open("rb") as file:
            saved = Saved.model_validate_json(file.read(_MOST_BYTES), extra="ignore")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        log.warning("the snapshot %s cannot be used: %s", path, str(error).splitlines()[0])
        return None
    if (saved.workflow, saved.principal) != (workflow, principal):
        log.warning("the snapshot %s is of %s for %s", path, saved.workflow, saved.principal)
        return None
    return saved


def save(path: Path, saved: Saved) -> None:
    """Replace the file in one step.

    Raises:
        OSError: the disk does not take it; the one before stays.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("wb") as file:
            file.write(dump(saved))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
