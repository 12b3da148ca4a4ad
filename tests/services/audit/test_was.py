"""What a value was at an instant: one where it was seen on both sides, two where nobody looked when it changed."""

from datetime import datetime
from uuid import UUID

import pytest

from cardtrail.services.audit.blame import Held
from cardtrail.services.audit.was import was


def held(value: str, after: str | None, first_seen: str, *, state: str = "held") -> Held:
    day = "2026-11-{}T00:00:00Z"
    return Held.model_validate(
        {
            "capability": "version", "state": state, "value": value, "first_seen": day.format(first_seen),
            "after": after and day.format(after), "last_confirmed": None, "last_asserted": None, "ended_by": None,
            "cause": "card", "fact": UUID(int=0), "sequence": int(first_seen), "kind": "card-fetched", "version": "1",
            "card_digest": "",
        }
    )  # fmt: skip


VALUES = [held("a", None, "05"), held("b", "10", "12"), held("", "15", "16", state="unknown"), held("c", "16", "20")]


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("01", []),
        ("05", ["a"]),
        ("10", ["a"]),
        ("11", ["a", "b"]),
        ("12", ["b"]),
        ("15", ["b"]),
        ("16", [""]),
        ("18", ["", "c"]),
        ("20", ["c"]),
        ("29", ["c"]),
    ],
)
def test_each_instant_has_the_values_that_may_have_held(day: str, expected: list[str]) -> None:
    found = was(VALUES, datetime.fromisoformat(f"2026-11-{day}T00:00:00Z"))
    assert [one.value for one in found] == expected


def test_of_nothing_nothing_is_known() -> None:
    assert was([], datetime.fromisoformat("2026-11-01T00:00:00Z")) == ()
