"""The five byte forms that signers of Agent Cards use in practice (A2A §8.4.1, RFC 8785), from the card as received.

`spec_present` is the literal text, `spec_filled` adds absent REQUIRED members, `sdk_pruned` and `sdk_python_legacy` are what the
SDKs sign, `raw` prunes nothing. Works on the JSON value alone: typed objects have already lost what a signature covers.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from cardtrail.events.canonical import canonical
from cardtrail.events.errors import InputRefused
from cardtrail.services.card.card_fields import BY_SPELLING, FIELDS, Field
from cardtrail.services.card.paths import member

MAX_DEPTH = 128
SECURITY_MEMBERS = ("$.securitySchemes", "$.securityRequirements", "$.skills[*].securityRequirements")

PRUNED_FORMS = ("sdk_pruned", "sdk_python_legacy")
"""The forms that do not see empty scope lists and empty schemes (A2A facts §4.5)."""


class Canonical(NamedTuple):
    """Bytes that a signature may cover, and the JSON paths of received members that these bytes do not show."""

    payload: bytes
    uncovered: tuple[str, ...] = ()


def canonical_form(card: dict[str, Any], form: str) -> Canonical:
    """The card's bytes in one of `FORMS`; `signatures` never takes part.

    Raises:
        InputRefused: `number-range` for integers beyond ±(2^53-1); `too-deep` for nesting over 128 levels; `not-unicode` for lone
            surrogates.
    """
    _refuse_deep(card)
    unsigned = {name: value for name, value in card.items() if name != "signatures"}
    try:
        return _BUILDERS[form](unsigned)
    except ValueError as error:
        raise InputRefused("not-unicode", "text that is not valid Unicode has no canonical form") from error


def _refuse_deep(card: dict[str, Any]) -> None:
    level: list[Any] = [card]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node) if isinstance(child, (dict, list))]
        if not level:
            return
    raise InputRefused("too-deep", f"nested deeper than {MAX_DEPTH} levels")


def _children(node: Any) -> list[Any]:  # noqa: ANN401 — a JSON container
    return list(node.values()) if isinstance(node, dict) else node


class _Walk:
    """One pass over a card by the 1.0 presence rules; `uncovered` collects members that no message of 1.0 knows."""

    def __init__(self, *, filled: bool) -> None:
        self.filled = filled
        self.uncovered: list[str] = []

    def message(self, data: Any, message: str, at: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
        """A value where a message is due; one of another type stays as it is, so that nothing vanishes from the bytes."""
        if not isinstance(data, dict):
            return data
        kept: dict[str, Any] = {}
        for name, value in data.items():
            field = BY_SPELLING[message].get(name)
            if field is None:
                self.uncovered.append(member(at, name))
            elif value is not None and (field.keeps_default or not _is_default(value, field)):
                held = self._member(value, field, member(at, name))
                # Two spellings that disagree both stay: the bytes then match no honest signature.
                kept[field.json_name if kept.get(field.json_name, held) == held else field.proto_name] = held
        if self.filled:
            kept = {f.json_name: f.default for f in FIELDS[message] if f.required} | kept
        return kept

    def _member(self, value: Any, field: Field, at: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
        if field.type not in FIELDS:
            return value
        if field.kind == "list" and isinstance(value, list):
            return [self.message(item, field.type, f"{at}[{index}]") for index, item in enumerate(value)]
        if field.kind == "map" and isinstance(value, dict):
            return {key: self.message(item, field.type, member(at, key)) for key, item in value.items()}
        return self.message(value, field.type, at) if field.kind == "message" else value


def _is_default(value: Any, field: Field) -> bool:  # noqa: ANN401 — a JSON value
    default = field.default
    return type(value) is type(default) and value == default


def _spec(card: dict[str, Any], *, filled: bool) -> Canonical:
    walk = _Walk(filled=filled)
    value = walk.message(card, "AgentCard", "$")
    return Canonical(canonical(value), tuple(walk.uncovered))


def _sdk(card: dict[str, Any], write: Callable[[Any], bytes]) -> Canonical:
    """The SDKs' form: a proto round trip, then every empty value goes, at every depth, Structs and lists included."""
    walk = _Walk(filled=False)
    emptied: list[str] = []
    pruned = _pruned(walk.message(card, "AgentCard", "$"), "$", emptied)
    return Canonical(write(pruned), tuple(dict.fromkeys((*walk.uncovered, *SECURITY_MEMBERS, *emptied))))


def _pruned(value: Any, at: str, emptied: list[str]) -> Any:  # noqa: ANN401 — JSON in, JSON out
    """The value without empty strings, lists, objects and nulls; None when nothing is left.

    `emptied` gathers the paths of what went from inside extension params, where an empty value may carry meaning.
    """
    if isinstance(value, dict):
        members = ((name, _pruned(item, member(at, name), emptied)) for name, item in value.items())
        kept: Any = {name: item for name, item in members if item is not None}
    elif isinstance(value, list):
        items = (_pruned(item, f"{at}[{index}]", emptied) for index, item in enumerate(value))
        kept = [item for item in items if item is not None]
    else:
        kept = value
    if kept is None or kept in ("", [], {}):
        if ".params." in at:
            emptied.append(at)
        return None
    return kept


def _python_json(value: Any) -> bytes:  # noqa: ANN401 — a JSON value
    """Python's JSON as a2a-python <= 1.1.3 wrote it: ASCII escapes, code point order, a Struct's numbers as floats."""
    canonical(value)  # refuses what no double can hold, as every other form does
    return json.dumps(_floats(value), separators=(",", ":"), sort_keys=True, allow_nan=False).encode()


def _floats(value: Any) -> Any:  # noqa: ANN401 — JSON in, JSON out
    if isinstance(value, dict):
        return {name: _floats(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


_BUILDERS: dict[str, Callable[[dict[str, Any]], Canonical]] = {
    "spec_present": lambda card: _spec(card, filled=False),
    "spec_filled": lambda card: _spec(card, filled=True),
    "sdk_pruned": lambda card: _sdk(card, canonical),
    "sdk_python_legacy": lambda card: _sdk(card, _python_json),
    "raw": lambda card: Canonical(canonical(card)),
}
FORMS = tuple(_BUILDERS)
