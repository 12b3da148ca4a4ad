import json
from contextlib import chdir
from pathlib import Path

from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.report import Place
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.cards import HOSTILE
from tests.services.cli.formats.reports import FINGERPRINT, breaking, full, report, section


def test_every_entry_has_all_the_fields_without_which_nothing_is_shown() -> None:
    entries = json.loads(render("gitlab", full(HOSTILE), Style()))
    assert [entry["severity"] for entry in entries] == ["critical", "major", "info"]
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["location"]["path"] == "trip.lock.json"
        assert entry["location"]["lines"]["begin"] >= 1
    assert entries[0]["fingerprint"] == FINGERPRINT


def test_a_finding_without_a_fingerprint_gets_one_that_is_its_own() -> None:
    found = report(section(breaking(fingerprint=""), breaking("2", fingerprint="")))
    first, second = (entry["fingerprint"] for entry in json.loads(render("gitlab", found, Style())))
    assert len({first, second}) == 2


def test_no_finding_is_an_empty_array() -> None:
    assert json.loads(render("gitlab", report(section()), Style())) == []


def test_a_path_is_the_repositorys_own(tmp_path: Path) -> None:
    with chdir(tmp_path):
        for file in ("na sty.json", str(tmp_path / "na sty.json")):
            found = report(section(breaking(place=Place(file, 7))))
            assert [one["location"]["path"] for one in json.loads(render("gitlab", found, Style()))] == ["na sty.json"]
