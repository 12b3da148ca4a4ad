"""The base of every noun: a frozen pydantic value that refuses unknown members."""

from functools import cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_new = object.__new__
_SLOTS: dict[str, Any] = {name: vars(BaseModel)[name].__set__ for name in BaseModel.__slots__}
_set_members, _set_stated = _SLOTS["__dict__"], _SLOTS["__pydantic_fields_set__"]
_set_extra, _set_private = _SLOTS["__pydantic_extra__"], _SLOTS["__pydantic_private__"]


class Value(BaseModel):
    """A frozen value; two are equal when their members are."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def trusted(cls, members: dict[str, Any]) -> Self:
        """A value of all its members, each valid already: a fraction of the time that it takes to ask."""
        value = _new(cls)
        _set_members(value, members)
        _set_stated(value, _names(cls))
        _set_extra(value, None)
        _set_private(value, None)
        return value


@cache
def _names(kind: type[Value]) -> set[str]:
    return set(kind.model_fields)
