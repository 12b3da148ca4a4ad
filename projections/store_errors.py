"""What can be wrong with a store, in our own words: no DuckDB error leaves this room."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from cardtrail.events.errors import InputRefused, Unreachable

_DAMAGE = (
    "corrupt database file",
    "not a valid duckdb database file",
    "could not read enough bytes from file",
    "failed to deserialize",
    "no more data remaining in metadatareader",
)

_OF_THE_FILE = (duckdb.IOException, duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)


class StoreAway(Unreachable):
    """The store cannot be used now: `store-locked`, `store-failed`, `store-schema`, `store-building`; load anew later."""


class Damaged(StoreAway):
    """`store-failed`: the file's bytes are not those that were written; without it, a new one is made."""


class QueryRefused(InputRefused):
    """A reader's question that cannot be answered: `query-refused`, `query-too-long` (seconds) or `query-too-large`."""


def refused(error: duckdb.Error) -> QueryRefused:
    """What DuckDB says of a question, in one line, and as the hint what it suggests instead."""
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, duckdb.OutOfMemoryException):
        hint = "ask for less: a shorter time, fewer columns, an aggregate"
        return QueryRefused("query-too-large", "the query needs more memory than it may", hint=hint)
    meant = next((line for line in said[1:] if line.startswith(("Did you mean", "Candidate bindings"))), "")
    where = next((line for line in said[1:] if line.startswith("LINE ")), "")
    what = said[0] if said else "no reason given"
    hint = meant or (
        "cardtrail sql --views lists what there is" if "does not exist" in what or "not found" in what else ""
    )
    return QueryRefused("query-refused", f"{what[:300]} ({where[:150]})" if where else what[:500], hint=hint)


def too_long(seconds: float) -> QueryRefused:
    """A question that has had its time."""
    return QueryRefused("query-too-long", f"no answer within {seconds:g} s", hint="ask for less, or give it more time")


@contextmanager
def foreign() -> Iterator[None]:
    """DuckDB's errors as ours."""
    try:
        yield
    except duckdb.Error as error:
        said = str(error)
        if is_damage(error):
            raise Damaged("store-failed", f"the file is damaged: {said.splitlines()[0][:300]}") from error
        if "lock on file" in said:
            hint = "one process owns the store; readers use its snapshot"
            raise StoreAway("store-locked", "another process has the store open", hint=hint) from error
        raise StoreAway("store-failed", f"the store failed: {said.splitlines()[0][:300]}") from error


def is_damage(error: duckdb.Error) -> bool:
    """Whether DuckDB complains of the bytes of the file that it reads, and not of the question."""
    if type(error) is not duckdb.Error and not isinstance(error, _OF_THE_FILE):
        return False  # a question may say such words itself
    said = str(error).lower()
    return any(words in said for words in _DAMAGE)
