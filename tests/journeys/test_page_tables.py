"""Wherever a page has a table, its CSV holds what its JSON holds, under the same names."""

import csv
import io
import re
from typing import Any
from urllib.parse import urlsplit

from tests.journeys.page_stage import PageStage
from tests.journeys.test_page_answers import crawl


def test_every_table_has_in_csv_the_rows_and_the_members_of_its_json(site: PageStage) -> None:
    told: dict[str, int] = {}
    for path in crawl(site):
        parts = urlsplit("/fleet" + path[1:] if urlsplit(path).path == "/" else path)
        query = f"?{parts.query}" if parts.query else ""
        if (
            re.search(r"\.(json|csv|txt)|acknowledge", path)
            or (got := site.get(f"{parts.path}.csv{query}")).status == 404
        ):
            continue
        document = site.get(f"{parts.path}.json{query}").json
        rows = list(csv.DictReader(io.StringIO(got.text, newline="")))
        (beside,) = [held for held in document.values() if _alike(held, rows)]
        assert len(rows) == len(beside), path
        told[document["format"]] = told.get(document["format"], 0) + len(rows)
    assert told.keys() == {"cardtrail.page.fleet/1", "cardtrail.page.timeline/1"}
    assert all(told.values())


def _alike(held: Any, rows: list[dict[str, str]]) -> bool:
    """A list whose members, but for what has a shape of its own, are the columns."""
    if not isinstance(held, list) or not held or not isinstance(held[0], dict):
        return held == rows == []
    return [name for name in held[0] if name != "strip"] == list(rows[0] if rows else ())
