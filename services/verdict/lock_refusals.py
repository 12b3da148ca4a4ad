"""Why a lock is refused, said with its place: JSON path, line, column, and the nearest name that would have been right."""

from difflib import get_close_matches
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.card.document import Document
from cardtrail.services.card.paths import member, shown, visible
from cardtrail.services.places import without_login
from cardtrail.services.verdict.view import Baseline

_CODES = {"missing": "lock-member-missing", "extra_forbidden": "lock-member-unknown"}
_CARD = frozenset({"skills", "supportedInterfaces", "capabilities", "url"})
_WANTED = {
    "string_type": "a string",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}


def refused(code: str, message: str, document: Document, path: str, *, file: str = "", hint: str = "") -> InputRefused:  # noqa: PLR0913 — an error's place has this many members
    """The refusal of a lock at a JSON path."""
    line, column = document.place(path)
    return InputRefused(code, message, hint=hint, file=file, line=line, column=column, path=path)


def unreadable(error: ValidationError, document: Document, file: str) -> InputRefused:
    """The refusal for the first misspelt member, else for the first thing that has not the shape of a lock."""
    errors = error.errors(include_url=False, include_context=False)
    first = next(
        (one for one in errors if one["type"] == "extra_forbidden"), errors[0]
    )  # a typo explains what is missing
    root = ("baseline",) if error.title == Baseline.__name__ else ()
    steps = [step for step in (*root, *first["loc"]) if step != "[key]"]
    path, parent = _path(steps), _path(steps[:-1])
    kind = first["type"]
    if kind == "missing":
        return refused(_CODES[kind], f"{steps[-1]} is missing", document, parent, file=file, hint=f"add {steps[-1]}")
    if kind == "extra_forbidden":
        near = get_close_matches(str(steps[-1]), _names(steps[:-1]), n=1)
        hint = f"did you mean {near[0]}?" if near else "remove it, or begin its name with x-"
        if isinstance(document.value, dict) and len(_CARD & document.value.keys()) > 1:
            hint = "this looks like an Agent Card: the lock comes first, the card behind it"
        return refused(
            _CODES[kind], f"{shown(steps[-1])} is no member of a lock here", document, path, file=file, hint=hint
        )
    code = "lock-type-wrong" if kind in _WANTED else "lock-value-wrong"
    hint = f"write {_WANTED[kind]}" if kind in _WANTED else ""
    if steps[:1] == ["severities"]:
        hint = "write breaking, review or note; null switches the rule off"
    return refused(code, _complaint(first), document, path, file=file, hint=hint)


def _complaint(error: ErrorDetails) -> str:
    wanted = _WANTED.get(error["type"])
    given = without_login(shown(error["input"]))
    return f"{given} where {wanted} is due" if wanted else f"{given}: {visible(error['msg'])}"


def _path(steps: list[Any]) -> str:
    path = "$"
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else member(path, str(step))
    return path


def _names(steps: list[Any]) -> list[str]:
    """The members of the model at a place, as far as models lead there."""
    here: Any = Lockfile
    for step in steps:
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(str(step))
            here = field.annotation if field else None
        else:
            here = get_args(here)[-1] if get_args(here) else None
        if get_origin(here) in (Union, UnionType):
            here = get_args(here)[0]
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []
