"""Security requirements in every shape that servers send → alternatives of schemes with scopes (A2A §4.5).

Never a wider door than the card shows: what cannot be read is kept or refused, so no requirement becomes anonymous access.
"""

from itertools import islice, product
from typing import Any

from cardtrail.events.model.card import RequirementShape, SecurityRequirement
from cardtrail.services.card.members import Json, wrong
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import member

ANONYMOUS = frozenset(("none", "public"))
"""Words that mean "no authentication" where a scheme is due."""

_WRAPPER = "schemes"
_LIST = frozenset(("list",))
_MOST_COMBINATIONS = 16
Declared = dict[str, tuple[str, ...]]
"""Declared schemes: name → its name, the names of its parts where it was split, nothing where it means anonymous access."""


def lift_requirements(data: Json, at: str, declared: Declared, notes: Notes) -> tuple[SecurityRequirement, ...]:
    """The alternatives stated by a card or skill: `securityRequirements`, else the 0.x member `security`.

    Raises:
        DocumentRefused: `wrong-type`.
    """
    stated, legacy = data.get("securityRequirements"), data.get("security")
    name = "securityRequirements" if stated else "security"
    entries = stated or legacy
    if not entries:
        return ()
    path = f"{at}.{name}"
    if not notes.legacy_body:
        _note_legacy(stated, legacy, at, notes)
    if type(entries) is dict:
        notes.note("CT012", path, found=entries, due="a list of requirements", read="read as a list of one")
        entries = [entries]
    elif type(entries) is not list:
        wrong(entries, "a list of requirements", path)
    found = [r for i, entry in enumerate(entries) for r in _alternatives(entry, name, f"{path}[{i}]", declared, notes)]
    if len(found) > 1 and any(not requirement.schemes for requirement in found):
        notes.note("CT050", path)
    return tuple(found)


def _note_legacy(stated: Any, legacy: Any, at: str, notes: Notes) -> None:  # noqa: ANN401 — any JSON values
    path = f"{at}.security"
    if not stated:
        notes.note("CT083", path, name="security", instead="securityRequirements")
    elif legacy and type(stated) is list:
        plain = [entry.get(_WRAPPER, entry) if isinstance(entry, dict) else entry for entry in stated]
        if _bare(plain) == _bare(legacy if isinstance(legacy, list) else [legacy]):
            notes.note("CT081", path, name="security")
        else:
            notes.note("CT082", path, name="security", found=legacy, won=stated)


def _bare(entries: list[Any]) -> list[Any]:
    def scopes(value: Any) -> Any:  # noqa: ANN401 — any JSON value
        return (value.get("list") or []) if isinstance(value, dict) else value or []

    return [{name: scopes(v) for name, v in e.items()} if isinstance(e, dict) else e for e in entries]


def _alternatives(entry: Any, name: str, at: str, declared: Declared, notes: Notes) -> list[SecurityRequirement]:  # noqa: ANN401 — any JSON value
    """One entry; a scheme that was split into its flows makes an alternative of each."""
    if type(entry) is str:
        notes.note("CT013", at, due="a requirement", member="scheme")
        entry = {entry: []}
    elif type(entry) is not dict:
        wrong(entry, "a requirement", at)
    schemes, shape = _schemes(entry, name, at, declared, notes)
    choices = [
        [(part, scopes) for part in declared.get(scheme, (scheme,))]
        for scheme, scopes in schemes.items()
        if declared.get(scheme) != () and (scheme in declared or scheme.strip().lower() not in ANONYMOUS)
    ]
    return [
        SecurityRequirement.trusted({"schemes": dict(chosen), "shape": shape, "at": at})
        for chosen in islice(product(*choices), _MOST_COMBINATIONS)
    ]


def _schemes(
    entry: Json, name: str, at: str, declared: Declared, notes: Notes
) -> tuple[dict[str, tuple[str, ...]], RequirementShape]:
    inner = entry.get(_WRAPPER)
    outer = {key: value for key, value in entry.items() if key != _WRAPPER or inner is not None}
    shape: RequirementShape = "0.3" if name == "security" else "flat"
    if type(inner) is dict:
        del outer[_WRAPPER]
        shape = "bare-list" if list in map(type, inner.values()) else "1.0"
    elif type(inner) is list and _WRAPPER not in declared and all(type(word) is str for word in inner):
        del outer[_WRAPPER]
        inner = dict.fromkeys(inner)  # names alone, as 0.1 listed them
    else:
        inner = {}
    if shape in ("bare-list", "flat") and (outer or inner):
        notes.note("CT048", at, shape=shape)
    found: dict[str, tuple[str, ...]] = {}
    for base, members in ((at, outer), (f"{at}.{_WRAPPER}", inner)):
        for key, value in members.items():
            scopes = _scopes(value, base, key, notes)
            found[key] = tuple(dict.fromkeys((*found[key], *scopes))) if key in found else scopes
    return found, shape


def _scopes(value: Any, base: str, key: str, notes: Notes) -> tuple[str, ...]:  # noqa: ANN401 — any JSON value
    """A list of scopes, bare or under `list`; lists under another name are taken too, so that no scope is lost."""
    if type(value) is dict:
        if value.keys() <= _LIST:
            value = value.get("list")
        else:
            notes.note("CT012", member(base, key), found=value, due="a list of scopes", read="the lists in it are read")
            value = [scope for part in value.values() if type(part) is list for scope in part]
    if value is None or value == []:
        return ()
    if type(value) is str:
        notes.note("CT012", member(base, key), found=value, due="a list of scopes", read="read as a list of one")
        return (value,)
    if type(value) is not list or not all([type(scope) is str for scope in value]):  # noqa: C419 — a list is faster
        wrong(value, "a list of scopes", member(base, key))
    return tuple(value)
