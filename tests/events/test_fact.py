"""The envelope: what goes in comes out, ids are deterministic where they must be."""

import json
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cardtrail.events import EVENTS, CardFetched, CardRefused, Fact, derived_id, encode, observation_id
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import instant
from cardtrail.events.upcast import decode

AT = datetime(2026, 11, 30, 9, 12, 31, 250_000, tzinfo=UTC)
TEXT = st.text(st.characters(blacklist_categories=("Cs",)))


def a_fact(**changes: object) -> Fact:
    event = CardFetched.model_validate({"agent": "pricing", "same_as": 7, "status": 304, "latency_ms": 12, **changes})
    return Fact(id=observation_id(1, bytes(10)), source="cardtrail/fetcher", time=AT, data=event)


@given(agent=TEXT, principal=TEXT, detail=TEXT, cause=st.none() | st.uuids())
def test_every_fact_survives_the_round_trip(agent: str, principal: str, detail: str, cause: UUID | None) -> None:
    event = CardRefused(agent=agent, principal=principal, stage="fetch", reason="timeout", detail=detail)
    fact = Fact(
        id=observation_id(5, bytes(range(10))), source="cardtrail/fetcher", time=AT, causation=cause, data=event
    )
    assert decode(encode(fact)) == fact


def test_a_decoded_fact_is_like_one_that_was_made() -> None:
    made = a_fact()
    read = decode(encode(made))
    assert (read, hash(read.id), repr(read), read.model_dump()) == (made, hash(made.id), repr(made), made.model_dump())
    assert read.model_copy(update={"source": "elsewhere"}) == made.model_copy(update={"source": "elsewhere"})
    assert read.model_fields_set >= made.model_fields_set
    with pytest.raises(ValidationError):
        read.source = "elsewhere"  # type: ignore[misc]


def test_an_instant_is_read_in_utc_from_whatever_zone_it_was_told_in() -> None:
    there = encode(a_fact()).replace(b"09:12:31.250Z", b"11:12:31.250+02:00")
    assert decode(there) == a_fact()
    assert decode(there).time.tzinfo is UTC


def test_the_envelope_is_cloudevents_and_names_the_version() -> None:
    envelope = json.loads(encode(a_fact()))
    assert envelope["specversion"] == "1.0"
    assert envelope["type"] == "dev.cardtrail.card-fetched.v1"
    assert envelope["subject"] == "pricing"
    assert envelope["time"] == "2026-11-30T09:12:31.250Z"
    assert "agent" not in envelope["data"]


def test_an_unchanged_observation_carries_only_what_is_its_own() -> None:
    assert json.loads(encode(a_fact()))["data"] == {"status": 304, "same_as": 7, "latency_ms": 12}


def test_the_principal_stands_in_the_envelope_only_where_it_is_not_public() -> None:
    assert "principal" not in json.loads(encode(a_fact()))
    assert json.loads(encode(a_fact(principal="acme")))["principal"] == "acme"


def test_a_newer_version_is_refused_by_name_and_not_misread() -> None:
    newer = encode(a_fact()).replace(b"card-fetched.v1", b"card-fetched.v2")
    with pytest.raises(EventRefused) as refused:
        decode(newer)
    assert refused.value.code == "unknown-version"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "broken-event"),
        (b"[]", "broken-event"),
        (b'{"type":"dev.cardtrail.card-fetched.v1"}', "broken-event"),
        (b'{"type":"dev.cardtrail.moon-landed.v1"}', "unknown-event"),
        (b'{"type":7}', "broken-event"),
        (b"\xff\xfe", "broken-event"),
        (encode(a_fact()).replace(b'"status":304', b'"status":"x"'), "broken-event"),
        (encode(a_fact()).replace(b'"status":304', b'"status":304,"moon":1'), "broken-event"),
        (encode(a_fact()).replace(b"31.250Z", b"31.250"), "broken-event"),
        (re.sub(rb'"time":"[^"]*"', b'"time":"0001-01-01T00:00:00+14:00"', encode(a_fact())), "broken-event"),
        (re.sub(rb'"time":"[^"]*"', b'"time":"9999-12-31T23:59:59-14:00"', encode(a_fact())), "broken-event"),
        (encode(a_fact()).replace(b".v1", b".v" + b"9" * 5_000), "broken-event"),
        (encode(a_fact()).replace(b'"time":"2026', b'"time":"the year 2026'), "broken-event"),
        (encode(a_fact()).replace(b'"id":"', b'"id":"x'), "broken-event"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_kind(data: bytes, code: str) -> None:
    with pytest.raises(EventRefused) as refused:
        decode(data)
    assert refused.value.code == code


@given(st.uuids(), TEXT, TEXT)
def test_a_derived_id_depends_on_its_cause_version_and_key_alone(cause: UUID, version: str, key: str) -> None:
    first = derived_id(cause, "compiler", version, key)
    assert first == derived_id(cause, "compiler", version, key)
    assert first.version == 8
    assert first != derived_id(cause, "decider", version, key)
    assert first != derived_id(cause, "compiler", version + "x", key)


@given(st.integers(0, 2**47), st.integers(1, 10_000), st.binary(min_size=10, max_size=10))
def test_observation_ids_order_by_time(at: int, later: int, randomness: bytes) -> None:
    assert observation_id(at, randomness).version == 7
    assert observation_id(at, randomness).int < observation_id(at + later, randomness).int


def test_an_instant_keeps_its_moment_whatever_zone_it_was_given_in() -> None:
    fact = a_fact()
    moved = fact.model_copy(update={"time": fact.time.astimezone(tz=None) + timedelta(0)})
    assert encode(moved) == encode(fact)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.timezones() | st.just(UTC)))
def test_an_instant_is_spelled_as_rfc_3339_in_utc_with_milliseconds_where_they_say_it_all(at: datetime) -> None:
    text = at.astimezone(UTC).isoformat(timespec="microseconds" if at.microsecond % 1000 else "milliseconds")
    assert instant(at) == text.replace("+00:00", "Z")


def test_each_event_has_a_kind_of_its_own_and_a_sentence_about_it() -> None:
    assert all(event.__doc__ for event in EVENTS.values())
    assert [event.kind for event in EVENTS.values()] == list(EVENTS)
