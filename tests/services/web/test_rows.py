"""A view's CSV holds what its JSON holds: each member of each row, under the same name."""

import csv
import io
import json
from typing import Any

import pytest

from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.value import Value
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.known import Known
from cardtrail.services.web.rows import table_of
from cardtrail.services.web.views.fleet import fleet
from cardtrail.services.web.views.timeline import timeline
from tests.projections.facts import lock, pinned
from tests.services.web.scene import NOW, known, past, story
from tests.services.web.test_fleet import whole


def standing_in() -> Known:
    log = story()
    log.say("agent-tracked", "fares", target={"kind": "domain", "value": "f.example"}, provider="=cmd|' /C calc'!A0")
    pinned(log, lock(Candidate(agent="fares")))
    return whole(log)


VIEWS = {
    "rows": fleet(standing_in(), Asked("/"), NOW),
    "spans": timeline(past(story().facts), Asked("/agents/pricing/timeline"), NOW),
}


def read(view: Value, member: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table_of(view, member), newline="")))


def told(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}" if value.startswith("=") else value
    return "" if value is None else json.dumps(value)


@pytest.mark.parametrize("member", VIEWS)
def test_every_member_of_every_row_is_a_cell_under_its_own_name(member: str) -> None:
    document = VIEWS[member].model_dump(mode="json")[member]
    assert document
    cells = [{name: told(value) for name, value in row.items() if name != "strip"} for row in document]
    assert read(VIEWS[member], member) == cells


def test_whom_an_agent_stands_in_for_is_in_the_table() -> None:
    assert "pricing" in {row["candidate_of"] for row in read(VIEWS["rows"], "rows")}


def test_a_table_without_rows_has_its_header() -> None:
    empty = fleet(known([]), Asked("/"), NOW)
    assert table_of(empty, "rows").startswith("agent,workflow,verdict,")
    assert table_of(empty, "rows").count("\n") == 1
