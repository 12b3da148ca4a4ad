"""A card whose members stand in other spellings (`supported_interfaces`, `in_`) → the same card in JSON names (A2A §5.5).

Runs only where a reading met such a name. Keys that people choose (scheme names, scopes, params) are never touched.
"""

import json
import re
from typing import Any

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.card import AgentCard
from cardtrail.services.card.card_fields import FIELDS
from cardtrail.services.card.json_values import same
from cardtrail.services.card.members import SPELLINGS, Json
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import member, shown

INSIDE: dict[str, dict[str, tuple[str, str]]] = {
    message: {field.json_name: (field.kind, field.type) for field in fields if field.type in FIELDS}
    for message, fields in FIELDS.items()
}
INSIDE["AgentCard"]["additionalInterfaces"] = ("list", "AgentInterface")
INSIDE["SecurityScheme"]["flows"] = ("message", "OAuthFlows")


class Respelled:
    """The card in JSON names; `served` maps paths in it to the paths in the document as served."""

    def __init__(self, card: Json, notes: Notes) -> None:
        """Rename throughout.

        Raises:
            DocumentRefused: `conflicting-spelling` where two spellings of one member have two values.
        """
        self._notes = notes
        self.served: dict[str, str] = {}
        self.card: Json = self._message(card, "AgentCard", "$", "$")

    def _message(self, data: Any, message: str, at: str, served_at: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
        if type(data) is not dict:
            return data
        renamed: Json = {}
        spellings = SPELLINGS[message]
        said = {spellings.get(served, served) for served, value in data.items() if value is not None}
        for served, value in data.items():
            name = spellings.get(served) or served
            if value is None and name in said:
                continue
            path, served_path = member(at, name), member(served_at, served)
            if name != served and self._is_repeated(data, served, name, served_path):
                continue
            if path != served_path:
                self.served[path] = served_path
            renamed[name] = self._inside(value, INSIDE[message].get(name), path, served_path)
        return renamed

    def _is_repeated(self, data: Json, served: str, name: str, path: str) -> bool:
        """Whether the JSON name stands beside with the same value; null is unset and no conflict."""
        if served == "in_":
            self._notes.note("CT046", path)
        elif data.get(name) is None:
            self._notes.note("CT003", path, served=served, name=name)
        if data.get(name) is None:
            return False
        here, there = data[served], data[name]
        if not same(here, there):
            says = f"{served} says {shown(here)}, {name} says {shown(there)}"
            raise DocumentRefused("conflicting-spelling", says, path=path, hint=f"keep {name}")
        self._notes.note("CT004", path, served=served, name=name)
        return True

    def _inside(self, value: Any, held: tuple[str, str] | None, at: str, served_at: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
        if held is None:
            return value
        kind, message = held
        if kind == "list" and type(value) is list:
            pairs = [(item, f"{at}[{i}]", f"{served_at}[{i}]") for i, item in enumerate(value)]
            return [self._message(item, message, path, served) for item, path, served in pairs]
        if kind == "map" and type(value) is dict:
            return {
                key: self._message(item, message, member(at, key), member(served_at, key))
                for key, item in value.items()
            }
        return self._message(value, message, at, served_at) if kind == "message" else value

    def place(self, path: str) -> str:
        """The path as served."""
        for end in sorted({len(path), *(match.start() for match in re.finditer(r"[.\[]", path))}, reverse=True):
            if path[:end] in self.served:
                return self.served[path[:end]] + path[end:]
        return path

    def retold(self, card: AgentCard) -> AgentCard:
        """The lifted card with every `at` as served."""
        return AgentCard.model_validate(self._retold(card.model_dump(), is_place=False))

    def _retold(self, value: Any, *, is_place: bool) -> Any:  # noqa: ANN401 — model data in and out
        if isinstance(value, dict):
            return {key: self._retold(item, is_place=is_place or key == "at") for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._retold(item, is_place=is_place) for item in value)
        return self.place(value) if is_place and isinstance(value, str) else value


def is_spelled_otherwise(value: Any) -> bool:  # noqa: ANN401 — any JSON value
    """Whether some name anywhere could be another spelling; asked only before a card is refused."""
    text = json.dumps(value)
    return any(f'"{spelling}"' in text for spellings in SPELLINGS.values() for spelling in spellings)
