"""`show --was` for people and for pipes: one value where it is sure, both and the window where it is not."""

from datetime import UTC, datetime

from cardtrail.services.audit.was import was
from cardtrail.services.cli.audit.was import lines
from cardtrail.services.cli.outputs.show import Was, WasOutput
from cardtrail.services.cli.shell.console import Style
from tests.services.audit.test_was import VALUES


def at(day: int) -> WasOutput:
    found = was(VALUES, datetime(2026, 11, day, tzinfo=UTC))
    return WasOutput(
        format="cardtrail.show-was/1",
        agent="pricing",
        principal="public",
        was=f"2026-11-{day:02}T00:00:00.000Z",
        as_of=None,
        through=42,
        known_from=1,
        capabilities=(Was(capability="version", values=found),) if found else (),
    )


def test_a_sure_value_stands_alone() -> None:
    head, _, row = lines(at(13), Style())
    assert head == "pricing  as it was at 2026-11-13T00:00:00Z, as is known now, fact 42"
    assert row.split("\t")[1:3] == ["b", "yes"]


def test_where_nobody_looked_both_are_named_with_the_window() -> None:
    *_, row = lines(at(11), Style(columns=200))
    assert "a or b" in row
    assert "changed between 11-10 00:00:00 and 11-12 00:00:00" in row


def test_what_could_not_be_read_and_what_is_not_known_are_said() -> None:
    assert "(unknown)" in list(lines(at(16), Style()))[-1]
    assert list(lines(at(1), Style()))[-1] == "nothing is known of that time"
