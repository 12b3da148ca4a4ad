"""The base of every noun: a frozen pydantic value that refuses unknown members."""

from functools import cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_new, _set = object.__new__, object.__setattr__


class Value(BaseModel):
    """A frozen value; two are equal when their members are."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def trusted(cls, members: dict[str, Any]) -> Self:
        """A value of all its members, each valid already: a third of the time that it takes to ask."""
        value = _new(cls)
        _set(value, "__dict__", members)
        _set(value, "__pydantic_fields_set__", _names(cls))
        _set(value, "__pydantic_extra__", None)
        _set(value, "__pydantic_private__", None)
        return value


@cache
def _names(kind: type[Value]) -> set[str]:
    return set(kind.model_fields)
