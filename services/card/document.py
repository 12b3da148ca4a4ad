"""A parsed JSON document that still knows where everything stood."""

from functools import cached_property
from typing import Any

from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.paths import parent
from cardtrail.services.card.places import LIMITS, Limits, Places, place_at
from cardtrail.services.card.scanner import scan

__all__ = ["LIMITS", "Document", "Limits"]


class Document:
    """An accepted document: its `value`, its `text` without byte order mark, and `notes` about the JSON itself."""

    def __init__(
        self,
        text: str,
        value: Any,  # noqa: ANN401 — any JSON value
        notes: tuple[Diagnostic, ...] = (),
        *,
        places: Places | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Keep the value; places are looked for, within the limits it was accepted under, when one is asked for."""
        self.text, self.value, self.notes = text, value, notes
        self._known, self._limits = places, limits

    @cached_property
    def _places(self) -> Places:
        return self._known or scan(self.text, self._limits).places

    def place(self, path: str) -> tuple[int, int]:
        """Line and column, from 1, of the value at a JSON path, or of the nearest value around it."""
        while path not in self._places and path != "$":
            path = parent(path)
        return place_at(self.text, self._places.get(path, 0))
